// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `scheduling.k8s.io/v1alpha2 io.k8s.api.scheduling.v1alpha2
BasicSchedulingPolicy:
GangSchedulingPolicy: minCount*:i=
PodGroup: @ metadata:.ObjectMeta= spec*:PodGroupSpec= status:PodGroupStatus=
PodGroupList: @ items*:]PodGroup metadata:.ListMeta=
PodGroupResourceClaim: name*:s= resourceClaimName:s resourceClaimTemplateName:s
PodGroupResourceClaimStatus: name*:s= resourceClaimName:s
PodGroupSchedulingConstraints: topology:[TopologyConstraint
PodGroupSchedulingPolicy: basic:BasicSchedulingPolicy gang:GangSchedulingPolicy
PodGroupSpec: disruptionMode:s<Pod|PodGroup>=Pod podGroupTemplateRef:PodGroupTemplateReference priority:i priorityClassName:s resourceClaims:(name)PodGroupResourceClaim&merge,retainKeys:name schedulingConstraints:PodGroupSchedulingConstraints schedulingPolicy*:PodGroupSchedulingPolicy=
PodGroupStatus: conditions:(type).Condition&merge:type resourceClaimStatuses:(name)PodGroupResourceClaimStatus&merge,retainKeys:name
PodGroupTemplate: disruptionMode:s<Pod|PodGroup> name*:s= priority:i priorityClassName:s resourceClaims:(name)PodGroupResourceClaim&merge,retainKeys:name schedulingConstraints:PodGroupSchedulingConstraints schedulingPolicy*:PodGroupSchedulingPolicy=
PodGroupTemplateReference: workload:WorkloadPodGroupTemplateReference
TopologyConstraint: key*:s=
TypedLocalObjectReference: apiGroup:s kind*:s= name*:s=
Workload: @ metadata:.ObjectMeta= spec*:WorkloadSpec=
WorkloadList: @ items*:]Workload metadata:.ListMeta=
WorkloadPodGroupTemplateReference: podGroupTemplateName*:s= workloadName*:s=
WorkloadSpec: controllerRef:TypedLocalObjectReference podGroupTemplates*:(name)PodGroupTemplate
`
