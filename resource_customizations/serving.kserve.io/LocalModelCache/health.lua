-- Health of a KServe LocalModelCache (KServe 0.15 to 0.20). It has no conditions: status.copies counts
-- the nodes, and status.nodeStatus has the state of each. The status omits a count of zero.

local function field(value, key)
  if type(value) == "table" then
    return value[key]
  end
end

local copies = field(field(obj, "status"), "copies")

if type(copies) ~= "table" then
  return { status = "Progressing", message = "waiting for KServe to report a status" }
end

local counts = {}
for _, key in ipairs({ "available", "total", "failed" }) do
  local value = copies[key] or 0
  if type(value) ~= "number" then
    return { status = "Progressing", message = "status.copies." .. key .. " is not a number" }
  end
  counts[key] = value
end

local message = counts.available .. " of " .. counts.total .. " nodes have the model"
if counts.failed > 0 then
  return { status = "Degraded", message = message .. ", " .. counts.failed .. " failed to download it" }
end
if counts.available >= counts.total then
  return { status = "Healthy", message = message }
end
return { status = "Progressing", message = message }
