// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
AllocatedDeviceStatus driver! pool! device! conditions+meta/v1.Condition data?r networkData?NetworkDeviceData shareID?
AllocationResult devices!DeviceAllocationResult nodeSelector=3?core/v1.NodeSelector allocationTimestamp=5?t
CELDeviceSelector expression!
CapacityRequestPolicy default&q validValues=3*q validRange?CapacityRequestPolicyRange
CapacityRequestPolicyRange min?q max?q step?q
CapacityRequirements requests%q
Counter value!q
CounterSet name! counters%Counter
Device name! attributes%DeviceAttribute capacity%DeviceCapacity consumesCounters*DeviceCounterConsumption nodeName? nodeSelector?core/v1.NodeSelector allNodes?b taints*DeviceTaint bindsToNode?b bindingConditions* bindingFailureConditions* allowMultipleAllocations?b nodeAllocatableResourceMappings%NodeAllocatableResourceMapping
DeviceAllocationConfiguration source! requests* deviceConfiguration~DeviceConfiguration
DeviceAllocationResult results*DeviceRequestAllocationResult config*DeviceAllocationConfiguration
DeviceAttribute int=2?l bool?b string? version? ints*l bools*b strings* versions*
DeviceCapacity value!q requestPolicy?CapacityRequestPolicy
DeviceClaim requests+DeviceRequest constraints*DeviceConstraint config*DeviceClaimConfiguration
DeviceClaimConfiguration requests* deviceConfiguration~DeviceConfiguration
@DeviceClass metadata!meta/v1.ObjectMeta spec!DeviceClassSpec
DeviceClassConfiguration deviceConfiguration~DeviceConfiguration
@DeviceClassList metadata!meta/v1.ListMeta items+DeviceClass
DeviceClassSpec selectors*DeviceSelector config*DeviceClassConfiguration extendedResourceName=4?
DeviceConfiguration opaque?OpaqueDeviceConfiguration
DeviceConstraint requests* matchAttribute? distinctAttribute?
DeviceCounterConsumption counterSet! counters%Counter
DeviceRequest name! exactly?ExactDeviceRequest firstAvailable*DeviceSubRequest
DeviceRequestAllocationResult request! driver! pool! device! adminAccess?b tolerations*DeviceToleration bindingConditions* bindingFailureConditions* shareID? consumedCapacity%q
DeviceSelector cel?CELDeviceSelector
DeviceSubRequest name! deviceClassName! selectors*DeviceSelector allocationMode. count.l tolerations*DeviceToleration capacity?CapacityRequirements
DeviceTaint key! value. effect! timeAdded?t
DeviceToleration key. operator. value. effect. tolerationSeconds?l
ExactDeviceRequest deviceClassName! selectors*DeviceSelector allocationMode. count.l adminAccess?b tolerations*DeviceToleration capacity?CapacityRequirements
NetworkDeviceData interfaceName. ips* hardwareAddress.
NodeAllocatableResourceMapping capacityKey? allocationMultiplier?q
OpaqueDeviceConfiguration driver! parameters!r
@ResourceClaim metadata!meta/v1.ObjectMeta spec!ResourceClaimSpec status!ResourceClaimStatus
ResourceClaimConsumerReference apiGroup. resource=3! name! uid!
@ResourceClaimList metadata!meta/v1.ListMeta items+ResourceClaim
ResourceClaimSpec devices!DeviceClaim
ResourceClaimStatus allocation?AllocationResult reservedFor*ResourceClaimConsumerReference devices=4*AllocatedDeviceStatus
@ResourceClaimTemplate metadata!meta/v1.ObjectMeta spec!ResourceClaimTemplateSpec
@ResourceClaimTemplateList metadata!meta/v1.ListMeta items+ResourceClaimTemplate
ResourceClaimTemplateSpec metadata!meta/v1.ObjectMeta spec!ResourceClaimSpec
ResourcePool name! generation!l resourceSliceCount!l
@ResourceSlice metadata!meta/v1.ObjectMeta spec!ResourceSliceSpec
@ResourceSliceList metadata!meta/v1.ListMeta items+ResourceSlice
ResourceSliceSpec driver! pool!ResourcePool nodeName? nodeSelector?core/v1.NodeSelector allNodes?b devices*Device perDeviceNodeSelection?b sharedCounters*CounterSet
`
