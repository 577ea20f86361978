// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { SelfSubjectReview, TokenReview } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const selfSubjectReviews: Descriptor<SelfSubjectReview> = descriptorFromRow("authentication.k8s.io/v1 SelfSubjectReview selfsubjectreviews selfsubjectreview   c c")
export const tokenReviews: Descriptor<TokenReview> = descriptorFromRow("authentication.k8s.io/v1 TokenReview tokenreviews tokenreview   c c")
