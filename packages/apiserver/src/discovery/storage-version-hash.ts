import { createHash } from "node:crypto"
import type { Descriptor } from "@pilothouse/api"

/** Kinds that upstream stores in another version than they are asked for in. */
const storedAs: Readonly<Record<string, string>> = {
  "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy": "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy",
  "admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding": "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicyBinding",
  "apiextensions.k8s.io/v1/CustomResourceDefinition": "apiextensions.k8s.io/v1beta1/CustomResourceDefinition",
  "autoscaling/v1/HorizontalPodAutoscaler": "autoscaling/v2/HorizontalPodAutoscaler",
  "events.k8s.io/v1/Event": "/v1/Event",
}

/** Changes when a resource comes to be stored in another version; absent for what is not stored (reviews, bindings). */
export function storageVersionHash({ group, version, kind, verbs }: Descriptor): string | undefined {
  if (!verbs.includes("watch")) return undefined
  const own = `${group}/${version}/${kind}`
  const digest = createHash("sha256")
    .update(storedAs[own] ?? own)
    .digest()
  return digest.subarray(0, 8).toString("base64")
}
