-- Stop and resume set the annotation that KServe >= 0.16 obeys.

local annotations = obj.metadata ~= nil and obj.metadata.annotations or {}
local stop = annotations["serving.kserve.io/stop"]
local stopped = stop == "true" or stop == "True" or stop == "TRUE"

return {
  stop = { disabled = stopped },
  resume = { disabled = not stopped },
}
