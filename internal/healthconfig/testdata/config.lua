-- InferenceGraph

return {}
