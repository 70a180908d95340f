-- Runs inside `pandoc lua`: HTML pages in on stdin, Markdown out on stdout, one at a time.
--
--   request  "<bytes>\n" and that many bytes of HTML
--   answer   "ok <bytes>\n" and the Markdown, or "error <bytes>\n" and a message
--
-- Ends when stdin does, so it does not outlive the process that started it.

local stringify = pandoc.utils.stringify

local READER = 'html-auto_identifiers-line_blocks'
local WRITER = 'gfm-raw_html-tex_math_dollars'
local SANDBOX = {}           -- the files that pandoc.read may see: none, and no network
local MAX_CELL_CHARS = 300   -- in a table that stays a table
local PLAIN_CODE = 'text'    -- a code block with a class is fenced, one without is indented

local reader_options = pandoc.ReaderOptions {}
local writer_options = pandoc.WriterOptions { wrap_text = 'wrap-none' }

-- A link's text without its styles, and its images in their places.
local function add_link_text(inlines, out)
  for _, inline in ipairs(inlines) do
    if inline.t == 'Image' or inline.t == 'Space' then
      out:insert(inline)
    elseif inline.t == 'SoftBreak' or inline.t == 'LineBreak' then
      out:insert(pandoc.Space())
    elseif inline.t ~= 'Quoted' and inline.content then
      add_link_text(inline.content, out)
    else
      out:insert(pandoc.Str(stringify(inline)))
    end
  end
  return out
end

local function link_to_text(link)
  return add_link_text(link.content, pandoc.Inlines {})
end

local function is_blank(inline)
  if inline.t == 'Str' then
    return not inline.text:gsub('\u{a0}', ''):find('%S')
  elseif inline.content then
    for _, part in ipairs(inline.content) do
      if not is_blank(part) then return false end
    end
    return true
  end
  return inline.t == 'Space' or inline.t == 'SoftBreak' or inline.t == 'LineBreak'
end

-- An icon that was a link leaves blanks at the edge of its paragraph, or nothing else in it.
local function trim_paragraph(block)
  local text = stringify(block)  -- far cheaper than looking at every word
  if text:find('^[^%s\u{a0}]') and text:find('[^%s\u{a0}]$') then return nil end
  local content = block.content
  local first, last = 1, #content
  while first <= last and is_blank(content[first]) do first = first + 1 end
  while last > first and is_blank(content[last]) do last = last - 1 end
  if first > last then return {} end
  if first == 1 and last == #content then return nil end
  local kept = pandoc.Inlines {}
  for i = first, last do kept:insert(content[i]) end
  block.content = kept
  return block
end

local function drop_if_empty(div)
  if #div.content == 0 then return {} end
end

local function drop_empty_items(list)
  local items = {}
  for _, item in ipairs(list.content) do
    if #item > 0 then items[#items + 1] = item end
  end
  if #items == 0 then return {} end
  if #items < #list.content then
    list.content = items
    return list
  end
end

-- Markdown has no emphasis across paragraphs, and two breaks in a row are a new paragraph.
local function drop_emphasis_across_paragraphs(emphasis)
  local breaks = 0
  for _, inline in ipairs(emphasis.content) do
    if inline.t == 'LineBreak' then
      breaks = breaks + 1
    elseif inline.t ~= 'Space' and inline.t ~= 'SoftBreak' then
      breaks = 0
    end
    if breaks > 1 then return emphasis.content end
  end
end

-- "²" and "₂" exist, so pandoc writes them; "^(text)" is no Markdown and reads badly.
local function raise_digits_only(script)
  if not stringify(script):match('^[%d+-]+$') then return script.content end
end

-- A lone parenthesis in an address would end the image too early.
local function mend_address(image)
  image.title = ''
  if image.src:gsub('%b()', ''):find('[()]') then
    image.src = image.src:gsub('%(', '%%28'):gsub('%)', '%%29')
  end
  return image
end

-- Pandoc's writer loses a bracket that follows a backslash in the same word.
local function part_backslashes(str)
  if not str.text:find('\\', 1, true) then return nil end
  local parts = pandoc.Inlines {}
  for part in str.text:gmatch('[^\\]*\\?') do
    if part ~= '' then parts:insert(pandoc.Str(part)) end
  end
  return parts
end

local function drop_blank_heading(heading)
  if stringify(heading):find('%S') then return nil end
  local has_image = false
  heading.content:walk { Image = function() has_image = true end }
  if not has_image then return {} end
end

local function fence_code(code)
  code.attr = pandoc.Attr('', { code.classes[1] or PLAIN_CODE })
  return code
end

local function each_cell(tbl, visit)
  local function rows(list)
    for _, row in ipairs(list) do
      for _, cell in ipairs(row.cells) do visit(cell) end
    end
  end
  rows(tbl.head.rows)
  for _, body in ipairs(tbl.bodies) do
    rows(body.head)
    rows(body.body)
  end
  rows(tbl.foot.rows)
end

local function is_short_line(blocks)
  if #blocks == 0 then return true end
  if #blocks > 1 or (blocks[1].t ~= 'Plain' and blocks[1].t ~= 'Para') then return false end
  local breaks = 0
  blocks:walk { LineBreak = function() breaks = breaks + 1 end }
  return breaks <= 1 and utf8.len(stringify(blocks)) <= MAX_CELL_CHARS
end

-- A table of short lines stays one. Any other is mostly layout, and Markdown cannot hold it
-- (pandoc would write "[TABLE]" and nothing else): its cells follow each other as blocks.
local function settle_table(tbl)
  local is_table = #tbl.colspecs > 1
  local flat = pandoc.Blocks {}
  flat:extend(tbl.caption.long)
  each_cell(tbl, function(cell)
    is_table = is_table and is_short_line(cell.contents)
    flat:extend(cell.contents)
  end)
  if not is_table then
    return flat:walk { Plain = function(plain) return pandoc.Para(plain.content) end }
  end
  return tbl:walk {
    LineBreak = function() return pandoc.Space() end,
    Para = function(para) return pandoc.Plain(para.content) end,
  }
end

local inline_filter = {
  Emph = drop_emphasis_across_paragraphs,
  Image = mend_address,
  Strong = drop_emphasis_across_paragraphs,
  Subscript = raise_digits_only,
  Superscript = raise_digits_only,
}
local link_filter = { Link = link_to_text }
local block_filter = {
  BulletList = drop_empty_items,
  CodeBlock = fence_code,
  Div = drop_if_empty,
  Header = drop_blank_heading,
  OrderedList = drop_empty_items,
  Para = trim_paragraph,
  Plain = trim_paragraph,
  Table = settle_table,
}
local backslash_filter = { Str = part_backslashes }

local function convert(html)
  local doc = pandoc.read(html, READER, reader_options, SANDBOX)
  doc = doc:walk(inline_filter):walk(link_filter):walk(block_filter)
  if html:find('\\', 1, true) then doc = doc:walk(backslash_filter) end
  return pandoc.write(doc, WRITER, writer_options)
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
