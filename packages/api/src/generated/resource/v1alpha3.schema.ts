// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `resource.k8s.io/v1alpha3 io.k8s.api.resource.v1alpha3
DeviceTaint: effect*:s<NoExecute|NoSchedule|None>= key*:s= timeAdded:t value:s
DeviceTaintRule: @ metadata:.ObjectMeta= spec*:DeviceTaintRuleSpec= status:DeviceTaintRuleStatus=
DeviceTaintRuleList: @ items*:]DeviceTaintRule metadata:.ListMeta=
DeviceTaintRuleSpec: deviceSelector:DeviceTaintSelector taint*:DeviceTaint=
DeviceTaintRuleStatus: conditions:(type).Condition&merge:type
DeviceTaintSelector: device:s driver:s pool:s
PoolStatus: allocatedDevices:i availableDevices:i driver*:s generation*:l= nodeName:s poolName*:s resourceSliceCount:i totalDevices:i unavailableDevices:i validationError:s
ResourcePoolStatusRequest: @ metadata*:.ObjectMeta= spec*:ResourcePoolStatusRequestSpec= status:ResourcePoolStatusRequestStatus
ResourcePoolStatusRequestList: @ items*:]ResourcePoolStatusRequest metadata:.ListMeta=
ResourcePoolStatusRequestSpec: driver*:s= limit:i=100 poolName:s
ResourcePoolStatusRequestStatus: conditions:(type).Condition&merge:type poolCount*:i pools:[PoolStatus
`
