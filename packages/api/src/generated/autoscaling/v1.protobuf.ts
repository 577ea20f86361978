// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
CrossVersionObjectReference kind! name! apiVersion.
@HorizontalPodAutoscaler metadata!meta/v1.ObjectMeta spec!HorizontalPodAutoscalerSpec status!HorizontalPodAutoscalerStatus
@HorizontalPodAutoscalerList metadata!meta/v1.ListMeta items+HorizontalPodAutoscaler
HorizontalPodAutoscalerSpec scaleTargetRef!CrossVersionObjectReference minReplicas?i maxReplicas!i targetCPUUtilizationPercentage?i
HorizontalPodAutoscalerStatus observedGeneration?l lastScaleTime?t currentReplicas!i desiredReplicas!i currentCPUUtilizationPercentage?i
@Scale metadata!meta/v1.ObjectMeta spec!ScaleSpec status!ScaleStatus
ScaleSpec replicas.i
ScaleStatus replicas!i selector.
`
