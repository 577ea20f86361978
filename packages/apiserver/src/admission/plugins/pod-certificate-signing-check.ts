import { deepEqual, type FieldError, fieldError, invalid, quoted } from "@pilothouse/api"
import type { PodCertificateRequest } from "@pilothouse/api/certificates/v1beta1"
import type { AdmissionPlugin } from "../plugin.ts"
import { mayActForSigner } from "./signer-right.ts"

/**
 * A user issues, denies and fails pods' certificates only of signers that it may `sign` for. It stands behind validation and before validating admission,
 * as upstream's storage of the kind does.
 */
export const podCertificateSigningCheck: AdmissionPlugin = {
  name: "pod-certificate-signing-check",
  async validate({ operation, object, old, identity, server, resource, name }) {
    if (operation !== "UPDATE") return
    const [now, before] = [object, old].map((one) => one as unknown as PodCertificateRequest)
    const { signerName } = before!.spec
    if (deepEqual(now?.status ?? {}, before!.status ?? {})) return
    if (await mayActForSigner(server.authorizer, identity, "sign", signerName)) return
    const text = `User ${quoted(identity.name)} is not permitted to "sign" for signer ${quoted(signerName)}`
    const errors: readonly FieldError[] = [fieldError.forbidden("spec.signerName", text)]
    throw invalid(resource.descriptor, name, errors)
  },
}
