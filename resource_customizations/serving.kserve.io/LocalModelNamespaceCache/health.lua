-- Health of a KServe LocalModelNamespaceCache (KServe 0.18 to 0.20). It has no conditions: status.nodeStatus has the
-- state of the model on each node, and has a node as soon as KServe asks it to download the model.

local function field(value, key)
  if type(value) == "table" then
    return value[key]
  end
end

local nodes = {}
local statuses = field(field(obj, "status"), "nodeStatus")
if type(statuses) == "table" then
  for name, status in pairs(statuses) do
    if type(name) == "string" and type(status) == "string" then
      nodes[#nodes + 1] = { name = name, status = status }
    end
  end
end
table.sort(nodes, function(a, b) return a.name < b.name end)

if #nodes == 0 then
  return { status = "Progressing", message = "no node has begun to download the model" }
end

local health, missing = "Healthy", {}
for _, node in ipairs(nodes) do
  if node.status == "NodeDownloadError" then
    health = "Degraded"
  elseif node.status ~= "NodeDownloaded" and health == "Healthy" then
    health = "Progressing"
  end
  if node.status ~= "NodeDownloaded" then
    missing[#missing + 1] = node.name .. " " .. node.status
  end
end

local message = #nodes - #missing .. " of " .. #nodes .. " nodes have the model"
local shown = 5
if #missing > shown then
  message = message .. ": " .. table.concat(missing, ", ", 1, shown) .. " and " .. #missing - shown .. " more"
elseif #missing > 0 then
  message = message .. ": " .. table.concat(missing, ", ")
end
return { status = health, message = message }
