import { type Descriptor, resourceNameOf } from "@pilothouse/api"

/** Kinds that a cluster of `up` stores and nobody in it acts upon: what to know of them, by the names of their resources. */
const unserved: Readonly<Record<string, string>> = {
  "customresourcedefinitions.apiextensions.k8s.io":
    "CRDs are stored here, and their kinds are not served: no object of this kind can be made",
}

/** Undefined of a kind that somebody acts upon, or that is nothing but data. */
export function unservedLine(of: Pick<Descriptor, "group" | "plural">): string | undefined {
  return unserved[resourceNameOf(of)]
}
