import { type FieldError, fieldError } from "@pilothouse/api"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { parseGoUrl } from "../../validation/go-url.ts"
import type { Condition } from "./conditions.ts"

const annotation = "api-approved.kubernetes.io"
const policy = "see https://github.com/kubernetes/enhancements/pull/1111"

type ApprovalState = "approved" | "bypassed" | "invalid" | "missing"

const reasons: Readonly<Record<ApprovalState, string>> = {
  approved: "ApprovedAnnotation",
  bypassed: "UnapprovedAnnotation",
  invalid: "InvalidAnnotation",
  missing: "MissingAnnotation",
}

/** Returns the condition KubernetesAPIApprovalPolicyConformant of a definition; undefined for groups that are not the community's. */
export function approvalCondition(definition: CustomResourceDefinition): Condition | undefined {
  if (!isProtectedGroup(definition.spec.group)) return undefined
  const { state, message } = approvalOf(definition)
  const status = state === "approved" ? "True" : "False"
  return { type: "KubernetesAPIApprovalPolicyConformant", status, reason: reasons[state], message }
}

/** A definition in a group of the community says where it was approved. What an update leaves in the same state is not refused. */
export function approvalErrors(definition: CustomResourceDefinition, old: CustomResourceDefinition | undefined): readonly FieldError[] {
  if (!isProtectedGroup(definition.spec?.group ?? "")) return []
  const { state, message } = approvalOf(definition)
  if (state === "approved" || state === "bypassed" || (old !== undefined && approvalOf(old).state === state)) return []
  const field = `metadata.annotations[${annotation}]`
  if (state === "missing") return [fieldError.required(field, message)]
  return [fieldError.invalid(field, valueOf(definition), message)]
}

function isProtectedGroup(group: string): boolean {
  return ["k8s.io", "kubernetes.io"].some((domain) => group === domain || group.endsWith(`.${domain}`))
}

function valueOf({ metadata }: CustomResourceDefinition): string {
  return metadata.annotations?.[annotation] ?? ""
}

function approvalOf(definition: CustomResourceDefinition): { readonly state: ApprovalState; readonly message: string } {
  const value = valueOf(definition)
  if (value === "") return { state: "missing", message: `protected groups must have approval annotation "${annotation}", ${policy}` }
  if (value.startsWith("unapproved")) return { state: "bypassed", message: `not approved: ${JSON.stringify(value)}` }
  const url = parseGoUrl(value)
  if (typeof url !== "string" && url.host !== "" && url.scheme !== "") return { state: "approved", message: `approved in ${value}` }
  const message = `protected groups must have approval annotation "${annotation}" with either a URL or a reason starting with "unapproved", ${policy}`
  return { state: "invalid", message }
}
