// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { ClusterTrustBundle, PodCertificateRequest } from "./v1beta1.types.ts"

export type * from "./v1beta1.types.ts"

export const clusterTrustBundles: Descriptor<ClusterTrustBundle> = descriptorFromRow("certificates.k8s.io/v1beta1 ClusterTrustBundle clustertrustbundles clustertrustbundle   c cdDglpuw")
export const podCertificateRequests: Descriptor<PodCertificateRequest> = descriptorFromRow("certificates.k8s.io/v1beta1 PodCertificateRequest podcertificaterequests podcertificaterequest   n cdDglpuw status::gpu")
