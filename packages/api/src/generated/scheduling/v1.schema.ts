// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `scheduling.k8s.io/v1 io.k8s.api.scheduling.v1
PriorityClass: @ description:s globalDefault:b metadata:.ObjectMeta= preemptionPolicy:s<Never|PreemptLowerPriority> value:i=
PriorityClassList: @ items*:]PriorityClass metadata:.ListMeta=
`
