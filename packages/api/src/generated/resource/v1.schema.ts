// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `resource.k8s.io/v1 io.k8s.api.resource.v1
AllocatedDeviceStatus: conditions:(type).Condition data:r device*:s= driver*:s= networkData:NetworkDeviceData pool*:s= shareID:s
AllocationResult: allocationTimestamp:t devices:DeviceAllocationResult= nodeSelector:core/v1.NodeSelector
CELDeviceSelector: expression*:s=
CapacityRequestPolicy: default:q validRange:CapacityRequestPolicyRange validValues:[q
CapacityRequestPolicyRange: max:q min*:q step:q
CapacityRequirements: requests:{q
Counter: value*:q
CounterSet: counters*:{Counter name*:s=
Device: allNodes:b allowMultipleAllocations:b attributes:{DeviceAttribute bindingConditions:[s bindingFailureConditions:[s bindsToNode:b capacity:{DeviceCapacity consumesCounters:[DeviceCounterConsumption name*:s= nodeAllocatableResourceMappings:{NodeAllocatableResourceMapping nodeName:s nodeSelector:core/v1.NodeSelector taints:[DeviceTaint
DeviceAllocationConfiguration: opaque:OpaqueDeviceConfiguration requests:[s source*:s<FromClaim|FromClass>=
DeviceAllocationResult: config:[DeviceAllocationConfiguration results:[DeviceRequestAllocationResult
DeviceAttribute: bool:b bools:[b int:l ints:[l string:s strings:[s version:s versions:[s
DeviceCapacity: requestPolicy:CapacityRequestPolicy value*:q
DeviceClaim: config:[DeviceClaimConfiguration constraints:[DeviceConstraint requests:[DeviceRequest
DeviceClaimConfiguration: opaque:OpaqueDeviceConfiguration requests:[s
DeviceClass: @ metadata:.ObjectMeta= spec*:DeviceClassSpec=
DeviceClassConfiguration: opaque:OpaqueDeviceConfiguration
DeviceClassList: @ items*:]DeviceClass metadata:.ListMeta=
DeviceClassSpec: config:[DeviceClassConfiguration extendedResourceName:s selectors:[DeviceSelector
DeviceConstraint: distinctAttribute:s matchAttribute:s requests:[s
DeviceCounterConsumption: counterSet*:s= counters*:{Counter
DeviceRequest: exactly:ExactDeviceRequest firstAvailable:[DeviceSubRequest name*:s=
DeviceRequestAllocationResult: adminAccess:b bindingConditions:[s bindingFailureConditions:[s consumedCapacity:{q device*:s= driver*:s= pool*:s= request*:s= shareID:s tolerations:[DeviceToleration
DeviceSelector: cel:CELDeviceSelector
DeviceSubRequest: allocationMode:s<All|ExactCount> capacity:CapacityRequirements count:l deviceClassName*:s= name*:s= selectors:[DeviceSelector tolerations:[DeviceToleration
DeviceTaint: effect*:s<NoExecute|NoSchedule|None>= key*:s= timeAdded:t value:s
DeviceToleration: effect:s<NoExecute|NoSchedule|None> key:s operator:s<Equal|Exists>=Equal tolerationSeconds:l value:s
ExactDeviceRequest: adminAccess:b allocationMode:s<All|ExactCount> capacity:CapacityRequirements count:l deviceClassName*:s= selectors:[DeviceSelector tolerations:[DeviceToleration
NetworkDeviceData: hardwareAddress:s interfaceName:s ips:[s
NodeAllocatableResourceMapping: allocationMultiplier:q capacityKey:s
OpaqueDeviceConfiguration: driver*:s= parameters*:r
ResourceClaim: @ metadata:.ObjectMeta= spec*:ResourceClaimSpec= status:ResourceClaimStatus=
ResourceClaimConsumerReference: apiGroup:s name*:s= resource*:s= uid*:s=
ResourceClaimList: @ items*:]ResourceClaim metadata:.ListMeta=
ResourceClaimSpec: devices:DeviceClaim=
ResourceClaimStatus: allocation:AllocationResult devices:(driver,device,pool,shareID)AllocatedDeviceStatus reservedFor:(uid)ResourceClaimConsumerReference&merge:uid
ResourceClaimTemplate: @ metadata:.ObjectMeta= spec*:ResourceClaimTemplateSpec=
ResourceClaimTemplateList: @ items*:]ResourceClaimTemplate metadata:.ListMeta=
ResourceClaimTemplateSpec: metadata:.ObjectMeta= spec*:ResourceClaimSpec=
ResourcePool: generation*:l= name*:s= resourceSliceCount*:l=
ResourceSlice: @ metadata:.ObjectMeta= spec*:ResourceSliceSpec=
ResourceSliceList: @ items*:]ResourceSlice metadata:.ListMeta=
ResourceSliceSpec: allNodes:b devices:[Device driver*:s= nodeName:s nodeSelector:core/v1.NodeSelector perDeviceNodeSelection:b pool*:ResourcePool= sharedCounters:[CounterSet
`
