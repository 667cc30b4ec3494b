-- Health of a KServe LLMInferenceService (KServe 0.16 to 0.20; github.com/kserve/kserve,
-- pkg/controller/v1alpha2/llmisvc).
--
-- Ready combines WorkloadsReady and RouterReady. It leaves out PresetsCombined (False: the spec is not being
-- applied) and GroupReady (False: the requested traffic split is not in place), so this check waits for both.
-- GroupDegraded and OciImageVolumeCompatible are advice. status.observedGeneration is the generation of the
-- object itself, other than in an InferenceService (controller.go, PostProcessReconcile).
--
-- Argo CD gives an override the base and table libraries, os.time and os.date, but no string library. So this
-- script examines strings by comparing them.

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

local spec = field(obj, "spec")

-- The characters of English text, in the order in which strings compare.
local characters = { "\t", "\n", " ", "!", '"', "#", "$", "%", "&", "'", "(", ")", "*", "+", ",", "-", ".", "/",
  "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ":", ";", "<", "=", ">", "?", "@",
  "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M",
  "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z", "[", "\\", "]", "^", "_", "`",
  "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
  "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "{", "|", "}", "~" }
local longest_search = 600

-- starts reports whether value starts with prefix. "\255" sorts after every byte of UTF-8.
local function starts(value, prefix)
  return value >= prefix and value < prefix .. "\255"
end

-- next_character returns the character that follows read, which value starts with.
local function next_character(value, read)
  local low, high = 1, #characters
  while low < high do
    local middle = (low + high + 1) / 2
    middle = middle - middle % 1
    if value < read .. characters[middle] then
      high = middle - 1
    else
      low = middle
    end
  end
  return characters[low]
end

-- contains reports whether one of the phrases, which are listed by their first character, is in the first part
-- of value. It reads until the first character that is not in the list above; what KServe and Kubernetes write
-- before these phrases has none.
local function contains(value, phrases)
  local read = ""
  while #read < longest_search and starts(value, read) do
    local character = next_character(value, read)
    for _, phrase in ipairs(phrases[character] or {}) do
      if starts(value, read .. phrase) then
        return true
      end
    end
    read = read .. character
  end
  return false
end

local function reason(name)
  return text(field(conditions[name], "reason"))
end

if next(conditions) == nil then
  return unreported()
end

local generation, observed = field(metadata, "generation"), field(status, "observedGeneration")
if type(generation) == "number" and type(observed) == "number" and generation > observed then
  return verdict("Progressing", "waiting for KServe to see generation " .. generation)
end

local stop = field(annotations, "serving.kserve.io/stop")
local stopping = stop == "true" or stop == "True" or stop == "TRUE"
if reason("Ready") == "Stopped" then
  if stopping then
    return verdict("Suspended", "LLMInferenceService is stopped")
  end
  return verdict("Progressing", "waiting for KServe to resume the LLMInferenceService")
end

-- A missing configuration may come with another app. KServe looks for it again when it comes.
if is("PresetsCombined", "False") then
  return waiting("PresetsCombined", grace)
end

if is("Ready", "True") then
  -- KServe 0.16 writes none of these fields and does not know serving.kserve.io/stop.
  if stopping and (field(status, "annotations") ~= nil or field(status, "workloads") ~= nil) then
    return verdict("Progressing", "waiting for KServe to stop the LLMInferenceService")
  end
  if is("GroupReady", "False") then
    return waiting("GroupReady")
  end
  local message = "LLMInferenceService is ready"
  local primary = field(field(status, "workloads"), "primary")
  if field(spec, "replicas") == 0 or field(primary, "readyReplicas") == 0 then
    message = "LLMInferenceService is scaled to zero"
  end
  if stopping then
    message = message .. "; KServe before 0.17 does not obey serving.kserve.io/stop"
  end
  if is("GroupDegraded", "True") then
    message = message .. "; " .. describe("GroupDegraded")
  end
  return verdict("Healthy", message)
end

local terminal = {
  ProgressDeadlineExceeded = true,
  FailedCreate = true,
}
-- What the Kubernetes API refuses, a foreign object with the name of a child, and an unknown kind of storage do
-- not go away by themselves. Other errors do: a conflict, a missing ServiceAccount, a webhook that is not there yet.
local errors = {
  ReconcileCertsError = true,
  ReconcileWorkloadPermissionsError = true,
  ReconcileMultiNodeWorkloadError = true,
  ReconcileSingleNodeWorkloadError = true,
  ReconcileWorkloadServiceError = true,
  ReconcileScalingError = true,
  SchedulerReconcileError = true,
  HTTPRouteReconcileError = true,
  PlatformNetworkingReconcileError = true,
}
local permanent = {
  a = { "already exists" },
  i = { "is invalid" },
  n = { "not owned by", "not controlled by" },
  u = { "unsupported schema" },
}
local causes = { "MainWorkloadReady", "WorkerWorkloadReady", "PrefillWorkloadReady", "PrefillWorkerWorkloadReady",
  "ScalingReady", "PrefillScalingReady", "SchedulerWorkloadReady", "TokenizerReady", "GatewaysReady", "HTTPRoutesReady",
  "InferencePoolReady" }
for _, name in ipairs(causes) do
  local cause, message = reason(name), field(conditions[name], "message")
  if is(name, "False") and cause ~= nil and (terminal[cause] or
    errors[cause] and type(message) == "string" and contains(message, permanent)) then
    return verdict("Degraded", describe(name))
  end
end
-- What a later release may add says more than the two that sum up. Advice is no cause.
local others = {}
for name in pairs(conditions) do
  local listed = not is(name, "False") or reason(name) == nil
  for _, other in ipairs({ "GroupDegraded", "OciImageVolumeCompatible", "WorkloadsReady", "RouterReady", "Ready" }) do
    listed = listed or name == other
  end
  if not listed then
    others[#others + 1] = name
  end
end
table.sort(others)
for _, names in ipairs({ causes, others, { "WorkloadsReady", "RouterReady" } }) do
  for _, name in ipairs(names) do
    if conditions[name] ~= nil and not is(name, "True") then
      return waiting(name)
    end
  end
end
return waiting("Ready")
