import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from "@pilothouse/api/admissionregistration/v1"
import { selectorText, unset } from "../columns/cells.ts"
import { ageColumn, integer, nameColumn, text } from "../columns/column.ts"
import { type Printer, printer } from "../columns/printer.ts"

const webhookConfiguration = printer<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>(
  nameColumn,
  integer("Webhooks", ({ webhooks }) => webhooks?.length),
  ageColumn,
)

const validatingPolicy = printer<ValidatingAdmissionPolicy>(
  nameColumn,
  integer("Validations", ({ spec }) => spec?.validations?.length),
  text("ParamKind", ({ spec }) => paramKindText(spec?.paramKind)),
  ageColumn,
)

const mutatingPolicy = printer<MutatingAdmissionPolicy>(
  nameColumn,
  integer("Mutations", ({ spec }) => spec?.mutations?.length),
  text("ParamKind", ({ spec }) => paramKindText(spec?.paramKind)),
  ageColumn,
)

function paramKindText(kind: { readonly apiVersion?: string; readonly kind?: string } | undefined): string {
  return kind === undefined ? unset : `${kind.apiVersion ?? ""}/${kind.kind ?? ""}`
}

const policyBinding = printer<ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding>(
  nameColumn,
  text("PolicyName", ({ spec }) => spec?.policyName),
  text("ParamRef", paramRefText),
  ageColumn,
)

/** Whether parameters have a namespace cannot be seen from here: "*" where none is named. */
function paramRefText({ spec }: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding): string {
  const ref = spec?.paramRef
  if (ref?.name) return `${ref.namespace || "*"}/${ref.name}`
  return ref?.selector === undefined ? unset : selectorText(ref.selector)
}

export const admissionPrinters: Readonly<Record<string, Printer<never>>> = {
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": mutatingPolicy,
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": policyBinding,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": webhookConfiguration,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": validatingPolicy,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": policyBinding,
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": webhookConfiguration,
}
