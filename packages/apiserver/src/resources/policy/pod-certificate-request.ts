import type { PodCertificateRequest } from "@pilothouse/api/certificates/v1beta1"
import { lazyModule } from "../../request/lazy-module.ts"
import type { ResourceStrategy } from "../resource.ts"

/** Keys and certificates are read once a server that serves these requests is sent one. */
const validation = lazyModule("validation of pods' certificate requests", async () => ({
  ...(await import("../../validation/certificates/pod-certificate-request.ts")),
  ...(await import("../../validation/certificates/pod-certificate-status.ts")),
}))

/** A kubelet's request for the certificate of one of its pods. A signer, who needs the right to sign for the signer's name, ends it once by its status. */
export const podCertificateRequest: ResourceStrategy<PodCertificateRequest> = {
  unconditionalUpdate: false,
  statusKeeps: "metadata",
  load: validation.load,
  fields: {
    "spec.signerName": ({ spec }) => spec.signerName,
    "spec.podName": ({ spec }) => spec.podName,
    "spec.nodeName": ({ spec }) => spec.nodeName,
  },
  prepareForCreate(request) {
    request.status = {}
  },
  validate: (request, old) => (old === undefined ? validation.loaded().podCertificateRequestErrors(request) : []),
  validateUpdate: (request, old) => validation.loaded().specUpdateErrors(request, old),
  validateStatusUpdate: (request, old, now) => validation.loaded().statusUpdateErrors(request, old, now),
}
