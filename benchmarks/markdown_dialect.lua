-- For pandoc 2.9.2.1: the published filter, then those of this project's choices that a first
-- line names in CHOICES. It serves to compare, and to nothing else.

local stringify = pandoc.utils.stringify
local MAX_CELL_CHARS = 300

local function link_to_text(link)
  for _, inline in ipairs(link.content) do
    if inline.t == 'Image' then return link.content end
  end
  return pandoc.Str(stringify(link.content))
end

local function is_blank(inline)
  if inline.t == 'Str' then return not inline.text:gsub('\u{a0}', ''):find('%S') end
  if inline.t == 'Space' or inline.t == 'SoftBreak' or inline.t == 'LineBreak' then return true end
  if inline.t == 'Image' or not inline.content then return false end
  for _, part in ipairs(inline.content) do
    if not is_blank(part) then return false end
  end
  return true
end

local function trim_paragraph(block)
  local content = block.content
  local first, last = 1, #content
  while first <= last and is_blank(content[first]) do first = first + 1 end
  while last > first and is_blank(content[last]) do last = last - 1 end
  if first > last then return {} end
  if first == 1 and last == #content then return nil end
  local kept = {}
  for i = first, last do kept[#kept + 1] = content[i] end
  block.content = kept
  return block
end

local function drop_empty_items(list)
  local items = {}
  for _, item in ipairs(list.content) do
    if #item > 0 then items[#items + 1] = item end
  end
  if #items == 0 then return {} end
  list.content = items
  return list
end

local function drop_blank_heading(heading)
  if stringify(heading):find('%S') then return nil end
  for _, inline in ipairs(heading.content) do
    if not is_blank(inline) then return nil end
  end
  return {}
end

local function drop_if_empty(div)
  if #div.content == 0 then return {} end
end

local function is_short_line(blocks)
  if #blocks == 0 then return true end
  if #blocks > 1 or (blocks[1].t ~= 'Plain' and blocks[1].t ~= 'Para') then return false end
  local breaks = 0
  pandoc.walk_block(blocks[1], { LineBreak = function() breaks = breaks + 1 end })
  return breaks <= 1 and utf8.len(stringify(blocks[1])) <= MAX_CELL_CHARS
end

local function settle_table(tbl)
  local rows = { tbl.headers }
  for _, row in ipairs(tbl.rows) do rows[#rows + 1] = row end
  local is_table = #tbl.aligns > 1
  local flat = {}
  if #tbl.caption > 0 then flat[1] = pandoc.Para(tbl.caption) end
  for _, row in ipairs(rows) do
    for _, cell in ipairs(row) do
      is_table = is_table and is_short_line(cell)
      for _, block in ipairs(cell) do
        flat[#flat + 1] = block.t == 'Plain' and pandoc.Para(block.content) or block
      end
    end
  end
  if not is_table then return flat end
  local plain = {
    LineBreak = function() return pandoc.Space() end,
    Para = function(para) return pandoc.Plain(para.content) end,
  }
  for i = 1, #tbl.widths do tbl.widths[i] = 0 end
  tbl = pandoc.walk_block(tbl, plain)
  return tbl
end

local function part_figure(para)
  local image = para.content[1]
  if #para.content ~= 1 or image.t ~= 'Image' or image.title:sub(1, 4) ~= 'fig:' then return nil end
  local caption = image.caption
  image.caption, image.title = {}, ''
  if #caption == 0 then return pandoc.Para { image } end
  return { pandoc.Para { image }, pandoc.Para(caption) }
end

local function drop_emphasis_across_breaks(emphasis)
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

-- Terms and what they mean, without the marks of a list.
local function part_definitions(list)
  local flat = {}
  for _, item in ipairs(list.content) do
    flat[#flat + 1] = pandoc.Para(item[1])
    for _, meaning in ipairs(item[2]) do
      for _, block in ipairs(meaning) do
        flat[#flat + 1] = block.t == 'Plain' and pandoc.Para(block.content) or block
      end
    end
  end
  return flat
end

local filters = { { Link = link_to_text } }
local function choose(name, filter)
  if CHOICES[name] then filters[#filters + 1] = filter end
end

choose('tables', { Table = settle_table })
choose('figures', { Para = part_figure })
choose('definitions', { DefinitionList = part_definitions })
choose('styles', { Emph = drop_emphasis_across_breaks, Strong = drop_emphasis_across_breaks })
choose('empty', { Para = trim_paragraph, Plain = trim_paragraph })
choose('empty', { Div = drop_if_empty, Header = drop_blank_heading })
choose('empty', { BulletList = drop_empty_items, OrderedList = drop_empty_items })
return filters
