// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const localSubjectAccessReviews: Descriptor<LocalSubjectAccessReview> = descriptorFromRow("authorization.k8s.io/v1 LocalSubjectAccessReview localsubjectaccessreviews localsubjectaccessreview   n c")
export const selfSubjectAccessReviews: Descriptor<SelfSubjectAccessReview> = descriptorFromRow("authorization.k8s.io/v1 SelfSubjectAccessReview selfsubjectaccessreviews selfsubjectaccessreview   c c")
export const selfSubjectRulesReviews: Descriptor<SelfSubjectRulesReview> = descriptorFromRow("authorization.k8s.io/v1 SelfSubjectRulesReview selfsubjectrulesreviews selfsubjectrulesreview   c c")
export const subjectAccessReviews: Descriptor<SubjectAccessReview> = descriptorFromRow("authorization.k8s.io/v1 SubjectAccessReview subjectaccessreviews subjectaccessreview   c c")
