// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
FieldSelectorAttributes rawSelector. requirements*meta/v1.FieldSelectorRequirement
LabelSelectorAttributes rawSelector. requirements*meta/v1.LabelSelectorRequirement
@LocalSubjectAccessReview metadata!meta/v1.ObjectMeta spec!SubjectAccessReviewSpec status!SubjectAccessReviewStatus
NonResourceAttributes path. verb.
NonResourceRule verbs+ nonResourceURLs*
ResourceAttributes namespace. verb. group. version. resource. subresource. name. fieldSelector?FieldSelectorAttributes labelSelector?LabelSelectorAttributes
ResourceRule verbs+ apiGroups* resources* resourceNames*
@SelfSubjectAccessReview metadata!meta/v1.ObjectMeta spec!SelfSubjectAccessReviewSpec status!SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec resourceAttributes?ResourceAttributes nonResourceAttributes?NonResourceAttributes
@SelfSubjectRulesReview metadata!meta/v1.ObjectMeta spec!SelfSubjectRulesReviewSpec status!SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec namespace.
@SubjectAccessReview metadata!meta/v1.ObjectMeta spec!SubjectAccessReviewSpec status!SubjectAccessReviewStatus
SubjectAccessReviewSpec resourceAttributes?ResourceAttributes nonResourceAttributes?NonResourceAttributes user. groups* extra%L uid.
SubjectAccessReviewStatus allowed!b reason. evaluationError. denied.b
SubjectRulesReviewStatus resourceRules+ResourceRule nonResourceRules+NonResourceRule incomplete!b evaluationError.
`
