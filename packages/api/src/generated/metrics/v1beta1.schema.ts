// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `metrics.k8s.io/v1beta1 io.k8s.metrics.pkg.apis.metrics.v1beta1
ContainerMetrics: name*:s= usage*:{q
NodeMetrics: @ metadata:.ObjectMeta= timestamp*:t usage*:{q window*:u
NodeMetricsList: @ items*:]NodeMetrics metadata:.ListMeta=
PodMetrics: @ containers*:[ContainerMetrics metadata:.ObjectMeta= timestamp*:t window*:u
PodMetricsList: @ items*:]PodMetrics metadata:.ListMeta=
`
