// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `node.k8s.io/v1 io.k8s.api.node.v1
Overhead: podFixed:{q
RuntimeClass: @ handler*:s= metadata:.ObjectMeta= overhead:Overhead scheduling:Scheduling
RuntimeClassList: @ items*:]RuntimeClass metadata:.ListMeta=
Scheduling: nodeSelector:!{s tolerations:[core/v1.Toleration
`
