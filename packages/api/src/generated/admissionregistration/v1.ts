// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, MutatingWebhookConfiguration, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, ValidatingWebhookConfiguration } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const mutatingAdmissionPolicies: Descriptor<MutatingAdmissionPolicy> = describe("admissionregistration.k8s.io/v1 MutatingAdmissionPolicy mutatingadmissionpolicies mutatingadmissionpolicy  api-extensions c cdDglpuw")
export const mutatingAdmissionPolicyBindings: Descriptor<MutatingAdmissionPolicyBinding> = describe("admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings mutatingadmissionpolicybinding  api-extensions c cdDglpuw")
export const mutatingWebhookConfigurations: Descriptor<MutatingWebhookConfiguration> = describe("admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations mutatingwebhookconfiguration  api-extensions c cdDglpuw")
export const validatingAdmissionPolicies: Descriptor<ValidatingAdmissionPolicy> = describe("admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy validatingadmissionpolicies validatingadmissionpolicy  api-extensions c cdDglpuw status::gpu")
export const validatingAdmissionPolicyBindings: Descriptor<ValidatingAdmissionPolicyBinding> = describe("admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings validatingadmissionpolicybinding  api-extensions c cdDglpuw")
export const validatingWebhookConfigurations: Descriptor<ValidatingWebhookConfiguration> = describe("admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations validatingwebhookconfiguration  api-extensions c cdDglpuw")
