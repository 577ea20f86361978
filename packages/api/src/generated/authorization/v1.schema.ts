// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `authorization.k8s.io/v1 io.k8s.api.authorization.v1
FieldSelectorAttributes: rawSelector:s requirements:[.FieldSelectorRequirement
LabelSelectorAttributes: rawSelector:s requirements:[.LabelSelectorRequirement
LocalSubjectAccessReview: @ metadata:.ObjectMeta= spec*:SubjectAccessReviewSpec= status:SubjectAccessReviewStatus=
NonResourceAttributes: path:s verb:s
NonResourceRule: nonResourceURLs:[s verbs*:[s
ResourceAttributes: fieldSelector:FieldSelectorAttributes group:s labelSelector:LabelSelectorAttributes name:s namespace:s resource:s subresource:s verb:s version:s
ResourceRule: apiGroups:[s resourceNames:[s resources:[s verbs*:[s
SelfSubjectAccessReview: @ metadata:.ObjectMeta= spec*:SelfSubjectAccessReviewSpec= status:SubjectAccessReviewStatus=
SelfSubjectAccessReviewSpec: nonResourceAttributes:NonResourceAttributes resourceAttributes:ResourceAttributes
SelfSubjectRulesReview: @ metadata:.ObjectMeta= spec*:SelfSubjectRulesReviewSpec= status:SubjectRulesReviewStatus=
SelfSubjectRulesReviewSpec: namespace:s
SubjectAccessReview: @ metadata:.ObjectMeta= spec*:SubjectAccessReviewSpec= status:SubjectAccessReviewStatus=
SubjectAccessReviewSpec: extra:{]s groups:[s nonResourceAttributes:NonResourceAttributes resourceAttributes:ResourceAttributes uid:s user:s
SubjectAccessReviewStatus: allowed*:b= denied:b evaluationError:s reason:s
SubjectRulesReviewStatus: evaluationError:s incomplete*:b= nonResourceRules*:[NonResourceRule resourceRules*:[ResourceRule
`
