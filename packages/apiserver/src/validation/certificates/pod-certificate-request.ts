import { checkDns1123Subdomain, deepEqual, type FieldError, fieldError, utf8Length } from "@pilothouse/api"
import type { PodCertificateRequest, PodCertificateRequestSpec } from "@pilothouse/api/certificates/v1beta1"
import { parseDerCertificateRequest } from "@pilothouse/api/x509"
import { signatureFault } from "../certificate-request.ts"
import { goLayout, goStructValue } from "../go-struct.ts"
import { isSignedBy, type PublicKey, parsePublicKey } from "./public-key.ts"
import { lifetimeBounds, signerNameErrors } from "./signer-name.ts"
import { userAnnotationErrors } from "./user-annotations.ts"

const longestId = 128
const largestKey = 10 * 1024
const keyFields = { stub: "spec.stubPKCS10Request", key: "spec.pkixPublicKey", proof: "spec.proofOfPossession" } as const

/** Returns what is wrong with a new request: whom it is for, how long, and the key with the proof that the node has it. */
export function podCertificateRequestErrors({ spec }: PodCertificateRequest): readonly FieldError[] {
  const { signerName, maxExpirationSeconds: seconds } = spec
  const names = [
    ...signerNameErrors(signerName, "spec.signerName"),
    ...userAnnotationErrors(spec.unverifiedUserAnnotations ?? {}, "spec.unverifiedUserAnnotations"),
    ...objectErrors("pod", spec.podName, spec.podUID),
    ...objectErrors("serviceAccount", spec.serviceAccountName, spec.serviceAccountUID),
    ...objectErrors("node", spec.nodeName, spec.nodeUID),
  ]
  if (seconds === undefined) return [...names, fieldError.required("spec.maxExpirationSeconds", "must be set")]
  const { min, max } = lifetimeBounds(signerName)
  const isBounded = seconds >= min && seconds <= max
  const bounds = `must be in the range [${min}, ${max}]`
  return [...names, ...(isBounded ? [] : [fieldError.invalid("spec.maxExpirationSeconds", seconds, bounds)]), ...keyErrors(spec)]
}

function objectErrors(kind: string, name: string, uid: string): readonly FieldError[] {
  return [
    ...checkDns1123Subdomain(name).map((text) => fieldError.invalid(`spec.${kind}Name`, name, text)),
    ...(uid === "" ? [fieldError.invalid(`spec.${kind}UID`, uid, "must not be empty")] : []),
    ...(utf8Length(uid) > longestId ? [fieldError.tooLong(`spec.${kind}UID`, longestId)] : []),
  ]
}

/** A kubelet sends a request that is signed with the key; older ones the key, and a signature of the pod's UID beside it. */
function keyErrors(spec: PodCertificateRequestSpec): readonly FieldError[] {
  const { stubPKCS10Request: stub = "", pkixPublicKey: key = "", proofOfPossession: proof = "" } = spec
  if (stub !== "" && key === "" && proof === "") return stubErrors(stub)
  if (stub === "" && key !== "" && proof !== "") return possessionErrors(key, proof, spec.podUID)
  const text = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set"
  return [fieldError.invalidWithoutValue("spec", text)]
}

const unknownKey = "unknown public key type; supported types are Ed25519, ECDSA, and RSA"

function stubErrors(base64: string): readonly FieldError[] {
  const field = keyFields.stub
  const der = bytesOf(base64)
  if (der.length > largestKey) return [fieldError.tooLong(field, largestKey)]
  const request = parsedRequest(der)
  if (request === undefined) return [fieldError.invalidWithoutValue(field, "must be a valid PKCS#10 CSR")]
  const { key, signature } = request
  if (key.kind === "other") return [fieldError.invalidWithoutValue(field, unknownKey)]
  const weak = weakKeyErrors(key, field, "P256, P384, or P521")
  if (weak.length > 0) return weak
  return signature === undefined ? [] : [fieldError.invalidWithoutValue(field, "invalid signature")]
}

/** Undefined for bytes that are no request; `signature` says what is wrong with its own. */
function parsedRequest(der: Uint8Array): { readonly key: PublicKey; readonly signature: string | undefined } | undefined {
  try {
    const request = parseDerCertificateRequest(der)
    const key = parsePublicKey(request.publicKey)
    return key && { key, signature: signatureFault(request) }
  } catch {
    // A client may send anything.
    return undefined
  }
}

function possessionErrors(keyText: string, proofText: string, podUid: string): readonly FieldError[] {
  const [der, proof] = [bytesOf(keyText), bytesOf(proofText)]
  if (der.length > largestKey) return [fieldError.tooLong(keyFields.key, largestKey)]
  if (proof.length > largestKey) return [fieldError.tooLong(keyFields.proof, largestKey)]
  const key = parsePublicKey(der)
  if (key === undefined) return [fieldError.invalid(keyFields.key, keyText, "must be a valid PKIX-serialized public key")]
  if (key.kind === "other") return [fieldError.invalid(keyFields.key, keyText, unknownKey)]
  const weak = weakKeyErrors(key, keyFields.key, "P256 or P384")
  if (weak.length > 0) return weak
  if (isSignedBy(key, Buffer.from(podUid), proof)) return []
  return [fieldError.invalidWithoutValue(keyFields.proof, "could not verify proof-of-possession signature")]
}

const goodCurves: readonly string[] = ["P-256", "P-384", "P-521"]
const goodLengths: readonly number[] = [3072, 4096]

function weakKeyErrors(key: PublicKey, field: string, curves: string): readonly FieldError[] {
  if (key.kind === "ecdsa" && !goodCurves.includes(key.curve)) {
    return [fieldError.invalid(field, `curve ${key.curve}`, `elliptic public keys must use curve ${curves}`)]
  }
  if (key.kind === "rsa" && !goodLengths.includes(key.bits)) {
    return [fieldError.invalid(field, `${key.bits}-bit modulus`, "RSA keys must have modulus size 3072 or 4096")]
  }
  return []
}

/** The key of a request that was valid when it was created; a field error where it is none any more. */
export function requestedKey(spec: PodCertificateRequestSpec): PublicKey | FieldError {
  const isStub = (spec.stubPKCS10Request ?? "") !== ""
  const key = isStub ? parsedRequest(bytesOf(spec.stubPKCS10Request))?.key : parsePublicKey(bytesOf(spec.pkixPublicKey ?? ""))
  if (key !== undefined) return key
  if (isStub) return fieldError.invalidWithoutValue(keyFields.stub, "must be a valid PKCS#10 CSR")
  return fieldError.invalidWithoutValue(keyFields.key, "must be a valid PKIX-serialized public key")
}

function bytesOf(base64: string): Uint8Array {
  return Buffer.from(base64, "base64")
}

const layout = goLayout(
  "signerName podName podUID serviceAccountName serviceAccountUID nodeName nodeUID maxExpirationSeconds=null pkixPublicKey:PKIXPublicKey=null proofOfPossession=null stubPKCS10Request=null unverifiedUserAnnotations=null",
)

/** Validates that the spec stays as a signer has seen it. */
export function specUpdateErrors({ spec }: PodCertificateRequest, { spec: old }: PodCertificateRequest): readonly FieldError[] {
  return deepEqual(spec, old) ? [] : [fieldError.invalid("spec", goStructValue(spec, layout), "field is immutable")]
}
