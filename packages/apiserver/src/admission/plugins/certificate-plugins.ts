import { deepEqual } from "@pilothouse/api"
import { type CertificateSigningRequest, certificateSigningRequests } from "@pilothouse/api/certificates/v1"
import { DerFault, parseCertificateRequest } from "@pilothouse/api/x509"
import { type AdmissionAttributes, type AdmissionPlugin, refusal } from "../plugin.ts"
import { mayActForSigner } from "./signer-right.ts"

/** A user approves and denies only requests of signers that it may `approve` for. */
export const certificateApproval: AdmissionPlugin = {
  name: "CertificateApproval",
  validate: (attributes) => (isUpdateOf(attributes, "approval") ? checkRight(attributes, "approve") : undefined),
}

/** A user writes certificates and failures only into requests of signers that it may `sign` for. */
export const certificateSigning: AdmissionPlugin = {
  name: "CertificateSigning",
  validate(attributes) {
    if (!isUpdateOf(attributes, "status")) return
    const [now, before] = [attributes.object, attributes.old].map((one) => (one as CertificateSigningRequest | undefined)?.status ?? {})
    const isSame = now?.certificate === before?.certificate && deepEqual(now?.conditions ?? [], before?.conditions ?? [])
    return isSame ? undefined : checkRight(attributes, "sign")
  },
}

const apiServerClient = "kubernetes.io/kube-apiserver-client"

/** No certificate makes its owner a member of system:masters, which no role can take anything from. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",
  validate(attributes) {
    if (attributes.operation !== "CREATE" || attributes.subresource !== "" || !isRequest(attributes)) return
    const { spec } = attributes.object as CertificateSigningRequest
    if (spec?.signerName !== apiServerClient || !organizationsIn(attributes, spec.request).includes("system:masters")) return
    throw refusal(attributes, `use of ${apiServerClient} signer with system:masters group is not allowed`)
  },
}

function organizationsIn(attributes: AdmissionAttributes, request: string): readonly string[] {
  try {
    return parseCertificateRequest(Buffer.from(request, "base64").toString("latin1")).subject.organizations
  } catch (error) {
    if (error instanceof DerFault) throw refusal(attributes, `failed to parse CSR: ${error.message}`)
    throw error
  }
}

function isRequest({ resource: { descriptor } }: AdmissionAttributes): boolean {
  return descriptor.group === certificateSigningRequests.group && descriptor.plural === certificateSigningRequests.plural
}

function isUpdateOf(attributes: AdmissionAttributes, subresource: string): boolean {
  return attributes.operation === "UPDATE" && attributes.subresource === subresource && isRequest(attributes)
}

/** The signer of the stored request counts. */
async function checkRight(attributes: AdmissionAttributes, verb: "approve" | "sign"): Promise<void> {
  const { signerName } = (attributes.old as CertificateSigningRequest).spec
  if (await mayActForSigner(attributes.server.authorizer, attributes.identity, verb, signerName)) return
  throw refusal(attributes, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`)
}
