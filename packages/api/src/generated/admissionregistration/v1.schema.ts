// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `admissionregistration.k8s.io/v1 io.k8s.api.admissionregistration.v1
ApplyConfiguration: expression:s
AuditAnnotation: key*:s= valueExpression*:s=
ExpressionWarning: fieldRef*:s= warning*:s=
JSONPatch: expression:s
MatchCondition: expression*:s= name*:s=
MatchResources: ! excludeResourceRules:[NamedRuleWithOperations matchPolicy:s<Equivalent|Exact> namespaceSelector:.LabelSelector objectSelector:.LabelSelector resourceRules:[NamedRuleWithOperations
MutatingAdmissionPolicy: @ metadata:.ObjectMeta= spec:MutatingAdmissionPolicySpec=
MutatingAdmissionPolicyBinding: @ metadata:.ObjectMeta= spec:MutatingAdmissionPolicyBindingSpec=
MutatingAdmissionPolicyBindingList: @ items*:]MutatingAdmissionPolicyBinding metadata:.ListMeta=
MutatingAdmissionPolicyBindingSpec: matchResources:MatchResources paramRef:ParamRef policyName:s
MutatingAdmissionPolicyList: @ items*:]MutatingAdmissionPolicy metadata:.ListMeta=
MutatingAdmissionPolicySpec: failurePolicy:s<Fail|Ignore> matchConditions:(name)MatchCondition&merge:name matchConstraints:MatchResources mutations:[Mutation paramKind:ParamKind reinvocationPolicy:s<IfNeeded|Never> variables:[Variable
MutatingWebhook: admissionReviewVersions*:[s clientConfig*:WebhookClientConfig= failurePolicy:s<Fail|Ignore> matchConditions:(name)MatchCondition&merge:name matchPolicy:s<Equivalent|Exact> name*:s= namespaceSelector:.LabelSelector objectSelector:.LabelSelector reinvocationPolicy:s<IfNeeded|Never> rules:[RuleWithOperations sideEffects*:s<None|NoneOnDryRun|Some|Unknown> timeoutSeconds:i
MutatingWebhookConfiguration: @ metadata:.ObjectMeta= webhooks:(name)MutatingWebhook&merge:name
MutatingWebhookConfigurationList: @ items*:]MutatingWebhookConfiguration metadata:.ListMeta=
Mutation: applyConfiguration:ApplyConfiguration jsonPatch:JSONPatch patchType*:s<ApplyConfiguration|JSONPatch>=
NamedRuleWithOperations: ! apiGroups:[s apiVersions:[s operations:[s<*|CONNECT|CREATE|DELETE|UPDATE> resourceNames:[s resources:[s scope:s<*|Cluster|Namespaced>
ParamKind: ! apiVersion:s kind:s
ParamRef: ! name:s namespace:s parameterNotFoundAction:s selector:.LabelSelector
RuleWithOperations: apiGroups:[s apiVersions:[s operations:[s<*|CONNECT|CREATE|DELETE|UPDATE> resources:[s scope:s<*|Cluster|Namespaced>
ServiceReference: name*:s= namespace*:s= path:s port:i
TypeChecking: expressionWarnings:[ExpressionWarning
ValidatingAdmissionPolicy: @ metadata:.ObjectMeta= spec:ValidatingAdmissionPolicySpec= status:ValidatingAdmissionPolicyStatus=
ValidatingAdmissionPolicyBinding: @ metadata:.ObjectMeta= spec*:ValidatingAdmissionPolicyBindingSpec=
ValidatingAdmissionPolicyBindingList: @ items*:]ValidatingAdmissionPolicyBinding metadata:.ListMeta=
ValidatingAdmissionPolicyBindingSpec: matchResources:MatchResources paramRef:ParamRef policyName*:s validationActions*:%s<Audit|Deny|Warn>
ValidatingAdmissionPolicyList: @ items*:]ValidatingAdmissionPolicy metadata:.ListMeta=
ValidatingAdmissionPolicySpec: auditAnnotations:[AuditAnnotation failurePolicy:s<Fail|Ignore> matchConditions:(name)MatchCondition&merge:name matchConstraints:MatchResources paramKind:ParamKind validations:[Validation variables:(name)Variable&merge:name
ValidatingAdmissionPolicyStatus: conditions:(type).Condition observedGeneration:l typeChecking:TypeChecking
ValidatingWebhook: admissionReviewVersions*:[s clientConfig*:WebhookClientConfig= failurePolicy:s<Fail|Ignore> matchConditions:(name)MatchCondition&merge:name matchPolicy:s<Equivalent|Exact> name*:s= namespaceSelector:.LabelSelector objectSelector:.LabelSelector rules:[RuleWithOperations sideEffects*:s<None|NoneOnDryRun|Some|Unknown> timeoutSeconds:i
ValidatingWebhookConfiguration: @ metadata:.ObjectMeta= webhooks:(name)ValidatingWebhook&merge:name
ValidatingWebhookConfigurationList: @ items*:]ValidatingWebhookConfiguration metadata:.ListMeta=
Validation: expression*:s= message:s messageExpression:s reason:s
Variable: ! expression*:s= name*:s=
WebhookClientConfig: caBundle:y service:ServiceReference url:s
`
