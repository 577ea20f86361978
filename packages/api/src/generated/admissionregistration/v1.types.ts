// Written by `npm run generate` (tools/generate/types.ts).
import type { LabelSelector, ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Int64 } from "../../quantity/scalars.ts"
import type { Condition } from "../meta/v1.types.ts"

export interface ApplyConfiguration {
  readonly expression?: string
}

export interface AuditAnnotation {
  readonly key: string
  readonly valueExpression: string
}

export interface ExpressionWarning {
  readonly fieldRef: string
  readonly warning: string
}

export interface JSONPatch {
  readonly expression?: string
}

export interface MatchCondition {
  readonly expression: string
  readonly name: string
}

export interface MatchResources {
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[]
  readonly matchPolicy?: "Equivalent" | "Exact"
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly resourceRules?: readonly NamedRuleWithOperations[]
}

export interface MutatingAdmissionPolicy {
  readonly apiVersion: "admissionregistration.k8s.io/v1"
  readonly kind: "MutatingAdmissionPolicy"
  readonly metadata: ObjectMeta
  readonly spec?: MutatingAdmissionPolicySpec
}

export interface MutatingAdmissionPolicyBinding {
  readonly apiVersion: "admissionregistration.k8s.io/v1"
  readonly kind: "MutatingAdmissionPolicyBinding"
  readonly metadata: ObjectMeta
  readonly spec?: MutatingAdmissionPolicyBindingSpec
}

export interface MutatingAdmissionPolicyBindingList {
  readonly apiVersion: "admissionregistration.k8s.io/v1"
  readonly kind: "MutatingAdmissionPolicyBindingList"
  readonly metadata: ListMeta
  readonly items: readonly MutatingAdmissionPolicyBinding[]
}

export interface MutatingAdmissionPolicyBindingSpec {
  readonly matchResources?: MatchResources
  readonly paramRef?: ParamRef
  readonly policyName?: string
}

export interface MutatingAdmissionPolicyList {
  readonly apiVersion: "admissionregistration.k8s.io/v1"
  readonly kind: "MutatingAdmissionPolicyList"
  readonly metadata: ListMeta
  readonly items: readonly MutatingAdmissionPolicy[]
}

export interface MutatingAdmissionPolicySpec {
  readonly failurePolicy?: "Fail" | "Ignore"
  readonly matchConditions?: readonly MatchCondition[]
  readonly matchConstraints?: MatchResources
  readonly mutations?: readonly Mutation[]
  readonly paramKind?: ParamKind
  readonly reinvocationPolicy?: "IfNeeded" | "Never"
  readonly variables?: readonly Variable[]
}

export interface MutatingWebhook {
  readonly admissionReviewVersions: readonly string[]
  readonly clientConfig: WebhookClientConfig
  readonly failurePolicy?: "Fail" | "Ignore"
  readonly matchConditions?: readonly MatchCondition[]
  readonly matchPolicy?: "Equivalent" | "Exact"
  readonly name: string
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly reinvocationPolicy?: "IfNeeded" | "Never"
  readonly rules?: readonly RuleWithOperations[]
  readonly sideEffects: "None" | "NoneOnDryRun" | "Some" | "Unknown"
  readonly timeoutSeconds?: number
}

export interface MutatingWebhookConfiguration {
  readonly apiVersion: "admissionregistration.k8s.io/v1"
  readonly kind: "MutatingWebhookConfiguration"
  readonly metadata: ObjectMeta
  readonly webhooks?: readonly MutatingWebhook[]
}

export interface MutatingWebhookConfigurationList {
  readonly apiVersion: "admissionregistration.k8s.io/v1"
  readonly kind: "MutatingWebhookConfigurationList"
  readonly metadata: ListMeta
  readonly items: readonly MutatingWebhookConfiguration[]
}

export interface Mutation {
  readonly applyConfiguration?: ApplyConfiguration
  readonly jsonPatch?: JSONPatch
  readonly patchType: "ApplyConfiguration" | "JSONPatch"
}

export interface NamedRuleWithOperations {
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly operations?: readonly ("*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE")[]
  readonly resourceNames?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: "*" | "Cluster" | "Namespaced"
}

export interface ParamKind {
  readonly apiVersion?: string
  readonly kind?: string
}

export interface ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly parameterNotFoundAction?: string
  readonly selector?: LabelSelector
}

export interface RuleWithOperations {
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly operations?: readonly ("*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE")[]
  readonly resources?: readonly string[]
  readonly scope?: "*" | "Cluster" | "Namespaced"
}

export interface ServiceReference {
  readonly name: string
  readonly namespace: string
  readonly path?: string
  readonly port?: number
}

export interface TypeChecking {
  readonly expressionWarnings?: readonly ExpressionWarning[]
}

export interface ValidatingAdmissionPolicy {
  readonly apiVersion: "admissionregistration.k8s.io/v1"
  readonly kind: "ValidatingAdmissionPolicy"
  readonly metadata: ObjectMeta
  readonly spec?: ValidatingAdmissionPolicySpec
  readonly status?: ValidatingAdmissionPolicyStatus
}

export interface ValidatingAdmissionPolicyBinding {
  readonly apiVersion: "admissionregistration.k8s.io/v1"
  readonly kind: "ValidatingAdmissionPolicyBinding"
  readonly metadata: ObjectMeta
  readonly spec: ValidatingAdmissionPolicyBindingSpec
}

export interface ValidatingAdmissionPolicyBindingList {
  readonly apiVersion: "admissionregistration.k8s.io/v1"
  readonly kind: "ValidatingAdmissionPolicyBindingList"
  readonly metadata: ListMeta
  readonly items: readonly ValidatingAdmissionPolicyBinding[]
}

export interface ValidatingAdmissionPolicyBindingSpec {
  readonly matchResources?: MatchResources
  readonly paramRef?: ParamRef
  readonly policyName: string
  readonly validationActions: readonly ("Audit" | "Deny" | "Warn")[]
}

export interface ValidatingAdmissionPolicyList {
  readonly apiVersion: "admissionregistration.k8s.io/v1"
  readonly kind: "ValidatingAdmissionPolicyList"
  readonly metadata: ListMeta
  readonly items: readonly ValidatingAdmissionPolicy[]
}

export interface ValidatingAdmissionPolicySpec {
  readonly auditAnnotations?: readonly AuditAnnotation[]
  readonly failurePolicy?: "Fail" | "Ignore"
  readonly matchConditions?: readonly MatchCondition[]
  readonly matchConstraints?: MatchResources
  readonly paramKind?: ParamKind
  readonly validations?: readonly Validation[]
  readonly variables?: readonly Variable[]
}

export interface ValidatingAdmissionPolicyStatus {
  readonly conditions?: readonly Condition[]
  readonly observedGeneration?: Int64
  readonly typeChecking?: TypeChecking
}

export interface ValidatingWebhook {
  readonly admissionReviewVersions: readonly string[]
  readonly clientConfig: WebhookClientConfig
  readonly failurePolicy?: "Fail" | "Ignore"
  readonly matchConditions?: readonly MatchCondition[]
  readonly matchPolicy?: "Equivalent" | "Exact"
  readonly name: string
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly rules?: readonly RuleWithOperations[]
  readonly sideEffects: "None" | "NoneOnDryRun" | "Some" | "Unknown"
  readonly timeoutSeconds?: number
}

export interface ValidatingWebhookConfiguration {
  readonly apiVersion: "admissionregistration.k8s.io/v1"
  readonly kind: "ValidatingWebhookConfiguration"
  readonly metadata: ObjectMeta
  readonly webhooks?: readonly ValidatingWebhook[]
}

export interface ValidatingWebhookConfigurationList {
  readonly apiVersion: "admissionregistration.k8s.io/v1"
  readonly kind: "ValidatingWebhookConfigurationList"
  readonly metadata: ListMeta
  readonly items: readonly ValidatingWebhookConfiguration[]
}

export interface Validation {
  readonly expression: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
}

export interface Variable {
  readonly expression: string
  readonly name: string
}

export interface WebhookClientConfig {
  readonly caBundle?: string
  readonly service?: ServiceReference
  readonly url?: string
}
