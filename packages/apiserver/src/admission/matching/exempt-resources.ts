import type { Resource } from "../../resources/resource.ts"

const exempt: ReadonlySet<string> = new Set([
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "validatingwebhookconfigurations",
])

/** Whether no webhook and no policy decides on a resource: one that did could never be mended. */
export function isExemptFromAdmission({ descriptor }: Resource): boolean {
  return descriptor.group === "admissionregistration.k8s.io" && exempt.has(descriptor.plural)
}
