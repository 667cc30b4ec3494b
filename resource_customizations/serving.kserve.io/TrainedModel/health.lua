-- Health of a KServe TrainedModel (KServe 0.11 to 0.20). Ready combines InferenceServiceReady,
-- IsMMSPredictor and MemoryResourceAvailable. The last two depend on what is in Git, so waiting does
-- not help.

-- Shared lines: Argo CD loads each check alone, so each carries a copy, and a test compares them.
local os = require("os")

-- Seconds that `health config --grace --progress-deadline` sets. Without a deadline there is no limit.
local grace = 300
local progress_deadline = nil

local longest_text = 1024

local function field(value, key)
  if type(value) == "table" then
    return value[key]
  end
end

local function entries(value)
  if type(value) == "table" then
    return value
  end
  return {}
end

-- text returns value if it is a string to print, else nil.
local function text(value)
  if type(value) ~= "string" or value == "" then
    return nil
  end
  if #value > longest_text then
    return "(a text of " .. #value .. " bytes, see the object's status)"
  end
  return value
end

local metadata = field(obj, "metadata")
local annotations = field(metadata, "annotations")
local created = text(field(metadata, "creationTimestamp"))
local status = field(obj, "status")

-- KServe writes some types twice. The last entry is the current one.
local conditions = {}
for _, condition in pairs(entries(field(status, "conditions"))) do
  local name = field(condition, "type")
  if type(name) == "string" then
    conditions[name] = condition
  end
end

local function is(name, wanted)
  return field(conditions[name], "status") == wanted
end

local function describe(name)
  local condition = conditions[name]
  if condition == nil then
    return "waiting for condition " .. name
  end
  local description = name .. " is " .. (text(field(condition, "status")) or "not reported")
  for _, key in ipairs({ "reason", "message" }) do
    local detail = text(field(condition, key))
    if detail ~= nil then
      description = description .. ": " .. detail
    end
  end
  return description
end

local function verdict(health, message)
  return { status = health, message = message }
end

-- seconds_ago returns a time in the past in the format of Kubernetes, in which times compare as text.
-- Under Argo CD os.date with "!" and a time returns local time, so this starts from the UTC fields.
local function seconds_ago(seconds)
  return os.date("%Y-%m-%dT%H:%M:%SZ", os.time(os.date("!*t")) - seconds)
end

-- progressing returns Progressing, or Degraded if nothing has changed since a time for longer than the
-- annotation says, or without the annotation for longer than the limit.
local function progressing(message, since, limit)
  local given = text(field(annotations, "argocd-kserve-plugin/progress-deadline-seconds"))
  local seconds = given and tonumber(given)
  if not (seconds and seconds > 0 and seconds < 1e9) then
    seconds = limit
  end
  if seconds and since and since > "2" and since < seconds_ago(seconds) then
    return verdict("Degraded", "no progress since " .. since .. ": " .. message)
  end
  return verdict("Progressing", message)
end

local function waiting(name, limit)
  return progressing(describe(name), text(field(conditions[name], "lastTransitionTime")), limit or progress_deadline)
end

local function unreported()
  return progressing("waiting for KServe to report a status", created, progress_deadline)
end
-- End of the shared lines.

if next(conditions) == nil then
  return unreported()
end

if is("Ready", "True") then
  return verdict("Healthy", "TrainedModel is ready")
end
for _, name in ipairs({ "IsMMSPredictor", "MemoryResourceAvailable" }) do
  if is(name, "False") then
    return verdict("Degraded", describe(name))
  end
end
if conditions.InferenceServiceReady ~= nil and not is("InferenceServiceReady", "True") then
  return waiting("InferenceServiceReady")
end
return waiting("Ready")
