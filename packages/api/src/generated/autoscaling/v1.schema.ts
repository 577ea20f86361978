// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `autoscaling/v1 io.k8s.api.autoscaling.v1
CrossVersionObjectReference: ! apiVersion:s kind*:s= name*:s=
HorizontalPodAutoscaler: @ metadata:.ObjectMeta= spec*:HorizontalPodAutoscalerSpec= status:HorizontalPodAutoscalerStatus=
HorizontalPodAutoscalerList: @ items*:]HorizontalPodAutoscaler metadata:.ListMeta=
HorizontalPodAutoscalerSpec: maxReplicas*:i= minReplicas:i scaleTargetRef*:CrossVersionObjectReference= targetCPUUtilizationPercentage:i
HorizontalPodAutoscalerStatus: currentCPUUtilizationPercentage:i currentReplicas*:i= desiredReplicas*:i= lastScaleTime:t observedGeneration:l
Scale: @ metadata:.ObjectMeta= spec:ScaleSpec= status:ScaleStatus=
ScaleSpec: replicas:i=
ScaleStatus: replicas*:i= selector:s
`
