// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const localSubjectAccessReviews: Descriptor<LocalSubjectAccessReview> = describe("authorization.k8s.io/v1 LocalSubjectAccessReview localsubjectaccessreviews localsubjectaccessreview   n c")
export const selfSubjectAccessReviews: Descriptor<SelfSubjectAccessReview> = describe("authorization.k8s.io/v1 SelfSubjectAccessReview selfsubjectaccessreviews selfsubjectaccessreview   c c")
export const selfSubjectRulesReviews: Descriptor<SelfSubjectRulesReview> = describe("authorization.k8s.io/v1 SelfSubjectRulesReview selfsubjectrulesreviews selfsubjectrulesreview   c c")
export const subjectAccessReviews: Descriptor<SubjectAccessReview> = describe("authorization.k8s.io/v1 SubjectAccessReview subjectaccessreviews subjectaccessreview   c c")
