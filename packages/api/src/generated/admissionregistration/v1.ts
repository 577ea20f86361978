// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, MutatingWebhookConfiguration, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, ValidatingWebhookConfiguration } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const mutatingAdmissionPolicies: Descriptor<MutatingAdmissionPolicy> = descriptorFromRow("admissionregistration.k8s.io/v1 MutatingAdmissionPolicy mutatingadmissionpolicies mutatingadmissionpolicy  api-extensions c cdDglpuw")
export const mutatingAdmissionPolicyBindings: Descriptor<MutatingAdmissionPolicyBinding> = descriptorFromRow("admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings mutatingadmissionpolicybinding  api-extensions c cdDglpuw")
export const mutatingWebhookConfigurations: Descriptor<MutatingWebhookConfiguration> = descriptorFromRow("admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations mutatingwebhookconfiguration  api-extensions c cdDglpuw")
export const validatingAdmissionPolicies: Descriptor<ValidatingAdmissionPolicy> = descriptorFromRow("admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy validatingadmissionpolicies validatingadmissionpolicy  api-extensions c cdDglpuw status::gpu")
export const validatingAdmissionPolicyBindings: Descriptor<ValidatingAdmissionPolicyBinding> = descriptorFromRow("admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings validatingadmissionpolicybinding  api-extensions c cdDglpuw")
export const validatingWebhookConfigurations: Descriptor<ValidatingWebhookConfiguration> = descriptorFromRow("admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations validatingwebhookconfiguration  api-extensions c cdDglpuw")
