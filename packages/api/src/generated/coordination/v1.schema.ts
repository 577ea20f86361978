// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `coordination.k8s.io/v1 io.k8s.api.coordination.v1
Lease: @ metadata:.ObjectMeta= spec:LeaseSpec=
LeaseList: @ items*:]Lease metadata:.ListMeta=
LeaseSpec: acquireTime:m holderIdentity:s leaseDurationSeconds:i leaseTransitions:i preferredHolder:s renewTime:m strategy:s
`
