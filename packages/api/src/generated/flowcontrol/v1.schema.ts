// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `flowcontrol.apiserver.k8s.io/v1 io.k8s.api.flowcontrol.v1
ExemptPriorityLevelConfiguration: lendablePercent:i nominalConcurrencyShares:i
FlowDistinguisherMethod: type*:s=
FlowSchema: @ metadata:.ObjectMeta= spec:FlowSchemaSpec= status:FlowSchemaStatus=
FlowSchemaCondition: lastTransitionTime:t message:s reason:s status:s type:s
FlowSchemaList: @ items*:]FlowSchema metadata:.ListMeta=
FlowSchemaSpec: distinguisherMethod:FlowDistinguisherMethod matchingPrecedence:i= priorityLevelConfiguration*:PriorityLevelConfigurationReference= rules:[PolicyRulesWithSubjects
FlowSchemaStatus: conditions:(type)FlowSchemaCondition&merge:type
GroupSubject: name*:s=
LimitResponse: queuing:QueuingConfiguration type*:s=
LimitedPriorityLevelConfiguration: borrowingLimitPercent:i lendablePercent:i limitResponse:LimitResponse= nominalConcurrencyShares:i
NonResourcePolicyRule: nonResourceURLs*:%s verbs*:%s
PolicyRulesWithSubjects: nonResourceRules:[NonResourcePolicyRule resourceRules:[ResourcePolicyRule subjects*:[Subject
PriorityLevelConfiguration: @ metadata:.ObjectMeta= spec:PriorityLevelConfigurationSpec= status:PriorityLevelConfigurationStatus=
PriorityLevelConfigurationCondition: lastTransitionTime:t message:s reason:s status:s type:s
PriorityLevelConfigurationList: @ items*:]PriorityLevelConfiguration metadata:.ListMeta=
PriorityLevelConfigurationReference: name*:s=
PriorityLevelConfigurationSpec: exempt:ExemptPriorityLevelConfiguration limited:LimitedPriorityLevelConfiguration type*:s=
PriorityLevelConfigurationStatus: conditions:(type)PriorityLevelConfigurationCondition&merge:type
QueuingConfiguration: handSize:i= queueLengthLimit:i= queues:i=
ResourcePolicyRule: apiGroups*:%s clusterScope:b namespaces:%s resources*:%s verbs*:%s
ServiceAccountSubject: name*:s= namespace*:s=
Subject: group:GroupSubject kind*:s= serviceAccount:ServiceAccountSubject user:UserSubject
UserSubject: name*:s=
`
