// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { CertificateSigningRequest } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const certificateSigningRequests: Descriptor<CertificateSigningRequest> = descriptorFromRow("certificates.k8s.io/v1 CertificateSigningRequest certificatesigningrequests certificatesigningrequest csr  c cdDglpuw approval::gpu status::gpu")
