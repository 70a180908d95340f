-- Runs inside `pandoc lua`: HTML pages in on stdin, documents as JSON out on stdout.
--
--   request  "<bytes>\n" and that many bytes of HTML
--   answer   "ok <bytes>\n" and the JSON, or "error <bytes>\n" and a message
--
-- Ends when stdin does, so it does not outlive the process that started it.

local READER = 'html-auto_identifiers-line_blocks'
local SANDBOX = {}           -- the files that pandoc.read may see: none, and no network

local reader_options = pandoc.ReaderOptions {}

-- A box that holds nothing but a box says no more than that one, and depth costs; in a table it
-- is written.
local filter = { traverse = 'topdown' }

function filter.Div(div)
  while #div.content == 1 and div.content[1].t == 'Div' do div = div.content[1] end
  return div
end

function filter.Table(tbl)
  return tbl, false
end

local function convert(html)
  local doc = pandoc.read(html, READER, reader_options, SANDBOX)
  return pandoc.write(doc:walk(filter), 'json')
end

while true do
  local size = io.stdin:read('l')
  if not size then break end
  size = tonumber(size)
  local html = size > 0 and io.stdin:read(size) or ''
  if #html < size then break end
  local ok, result = pcall(convert, html)
  html = nil
  result = tostring(result)
  io.stdout:write(ok and 'ok ' or 'error ', #result, '\n', result)
  io.stdout:flush()
  collectgarbage()
end
