// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
ApplyConfiguration expression.
AuditAnnotation key! valueExpression!
ExpressionWarning fieldRef=2! warning!
JSONPatch expression.
MatchCondition name! expression!
MatchResources namespaceSelector?meta/v1.LabelSelector objectSelector?meta/v1.LabelSelector resourceRules*NamedRuleWithOperations excludeResourceRules*NamedRuleWithOperations matchPolicy=7?
@MutatingAdmissionPolicy metadata!meta/v1.ObjectMeta spec!MutatingAdmissionPolicySpec
@MutatingAdmissionPolicyBinding metadata!meta/v1.ObjectMeta spec!MutatingAdmissionPolicyBindingSpec
@MutatingAdmissionPolicyBindingList metadata!meta/v1.ListMeta items+MutatingAdmissionPolicyBinding
MutatingAdmissionPolicyBindingSpec policyName. paramRef?ParamRef matchResources?MatchResources
@MutatingAdmissionPolicyList metadata!meta/v1.ListMeta items+MutatingAdmissionPolicy
MutatingAdmissionPolicySpec paramKind?ParamKind matchConstraints?MatchResources variables*Variable mutations*Mutation failurePolicy? matchConditions*MatchCondition reinvocationPolicy.
MutatingWebhook name! clientConfig!WebhookClientConfig rules*RuleWithOperations failurePolicy? namespaceSelector?meta/v1.LabelSelector sideEffects& timeoutSeconds?i admissionReviewVersions+ matchPolicy? reinvocationPolicy? objectSelector?meta/v1.LabelSelector matchConditions*MatchCondition
@MutatingWebhookConfiguration metadata!meta/v1.ObjectMeta webhooks*MutatingWebhook
@MutatingWebhookConfigurationList metadata!meta/v1.ListMeta items+MutatingWebhookConfiguration
Mutation patchType=2! applyConfiguration?ApplyConfiguration jsonPatch?JSONPatch
NamedRuleWithOperations resourceNames* ruleWithOperations~RuleWithOperations
ParamKind apiVersion. kind.
ParamRef name. namespace. selector?meta/v1.LabelSelector parameterNotFoundAction?
Rule apiGroups* apiVersions* resources* scope?
RuleWithOperations operations* rule~Rule
ServiceReference namespace! name! path? port?i
TypeChecking expressionWarnings*ExpressionWarning
@ValidatingAdmissionPolicy metadata!meta/v1.ObjectMeta spec!ValidatingAdmissionPolicySpec status!ValidatingAdmissionPolicyStatus
@ValidatingAdmissionPolicyBinding metadata!meta/v1.ObjectMeta spec!ValidatingAdmissionPolicyBindingSpec
@ValidatingAdmissionPolicyBindingList metadata!meta/v1.ListMeta items+ValidatingAdmissionPolicyBinding
ValidatingAdmissionPolicyBindingSpec policyName. paramRef?ParamRef matchResources?MatchResources validationActions*
@ValidatingAdmissionPolicyList metadata!meta/v1.ListMeta items+ValidatingAdmissionPolicy
ValidatingAdmissionPolicySpec paramKind?ParamKind matchConstraints?MatchResources validations*Validation failurePolicy? auditAnnotations*AuditAnnotation matchConditions*MatchCondition variables*Variable
ValidatingAdmissionPolicyStatus observedGeneration.l typeChecking?TypeChecking conditions*meta/v1.Condition
ValidatingWebhook name! clientConfig!WebhookClientConfig rules*RuleWithOperations failurePolicy? namespaceSelector?meta/v1.LabelSelector sideEffects& timeoutSeconds?i admissionReviewVersions+ matchPolicy? objectSelector?meta/v1.LabelSelector matchConditions*MatchCondition
@ValidatingWebhookConfiguration metadata!meta/v1.ObjectMeta webhooks*ValidatingWebhook
@ValidatingWebhookConfigurationList metadata!meta/v1.ListMeta items+ValidatingWebhookConfiguration
Validation expression! message. reason? messageExpression.
Variable name! expression!
WebhookClientConfig service?ServiceReference caBundle.y url?
`
