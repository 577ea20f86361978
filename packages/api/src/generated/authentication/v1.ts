// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { SelfSubjectReview, TokenReview } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const selfSubjectReviews: Descriptor<SelfSubjectReview> = describe("authentication.k8s.io/v1 SelfSubjectReview selfsubjectreviews selfsubjectreview   c c")
export const tokenReviews: Descriptor<TokenReview> = describe("authentication.k8s.io/v1 TokenReview tokenreviews tokenreview   c c")
