// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { CertificateSigningRequest } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const certificateSigningRequests: Descriptor<CertificateSigningRequest> = describe("certificates.k8s.io/v1 CertificateSigningRequest certificatesigningrequests certificatesigningrequest csr  c cdDglpuw approval::gpu status::gpu")
