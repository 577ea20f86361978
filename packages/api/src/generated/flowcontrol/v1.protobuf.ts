// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
ExemptPriorityLevelConfiguration nominalConcurrencyShares?i lendablePercent?i
FlowDistinguisherMethod type!
@FlowSchema metadata!meta/v1.ObjectMeta spec!FlowSchemaSpec status!FlowSchemaStatus
FlowSchemaCondition type. status. lastTransitionTime!t reason. message.
@FlowSchemaList metadata!meta/v1.ListMeta items+FlowSchema
FlowSchemaSpec priorityLevelConfiguration!PriorityLevelConfigurationReference matchingPrecedence!i distinguisherMethod?FlowDistinguisherMethod rules*PolicyRulesWithSubjects
FlowSchemaStatus conditions*FlowSchemaCondition
GroupSubject name!
LimitResponse type! queuing?QueuingConfiguration
LimitedPriorityLevelConfiguration nominalConcurrencyShares&i limitResponse!LimitResponse lendablePercent?i borrowingLimitPercent?i
NonResourcePolicyRule verbs+ nonResourceURLs=6+
PolicyRulesWithSubjects subjects+Subject resourceRules*ResourcePolicyRule nonResourceRules*NonResourcePolicyRule
@PriorityLevelConfiguration metadata!meta/v1.ObjectMeta spec!PriorityLevelConfigurationSpec status!PriorityLevelConfigurationStatus
PriorityLevelConfigurationCondition type. status. lastTransitionTime!t reason. message.
@PriorityLevelConfigurationList metadata!meta/v1.ListMeta items+PriorityLevelConfiguration
PriorityLevelConfigurationReference name!
PriorityLevelConfigurationSpec type! limited?LimitedPriorityLevelConfiguration exempt?ExemptPriorityLevelConfiguration
PriorityLevelConfigurationStatus conditions*PriorityLevelConfigurationCondition
QueuingConfiguration queues!i handSize!i queueLengthLimit!i
ResourcePolicyRule verbs+ apiGroups+ resources+ clusterScope.b namespaces+
ServiceAccountSubject namespace! name!
Subject kind! user?UserSubject group?GroupSubject serviceAccount?ServiceAccountSubject
UserSubject name!
`
