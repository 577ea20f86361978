import { certificateAuthority } from "@pilothouse/apiserver"
import { type SignerName, type Signers, signerNames } from "@pilothouse/controllers"
import { type Files, PilothouseError } from "@pilothouse/seams"
import { certificateOf, privateKeyOf } from "../../certificates/pem-files.ts"
import type { OwnSettings } from "../flags/flags.ts"

interface SignerFiles {
  readonly certificate: string
  readonly key: string
  /** The flags' common part: "cluster-signing-kubelet-client". */
  readonly flag: string
}

const flagWords: Readonly<Record<SignerName, "kubelet-serving" | "kubelet-client" | "kube-apiserver-client" | "legacy-unknown">> = {
  [signerNames.kubeletServing]: "kubelet-serving",
  [signerNames.kubeletClient]: "kubelet-client",
  [signerNames.apiServerClient]: "kube-apiserver-client",
  [signerNames.legacyUnknown]: "legacy-unknown",
}

/**
 * Returns the authorities that the flags name: one for all signers, or some of their own. Undefined where none is named; empty values, which kubeadm
 * passes with an authority that is elsewhere, name none. Their files are read for every signature, so that a rotated authority is used at once.
 */
export function signersOf(own: OwnSettings, files: Files): Signers | undefined {
  const named = signerFiles(own)
  if (named.length === 0) return undefined
  return Object.fromEntries(named.map(([name, paths]) => [name, () => certificateAuthority(readSigner(paths, files))]))
}

/** Throws where the files of a signer cannot be read, or the flags contradict each other. */
export function checkSignerFiles(own: OwnSettings, files: Files): void {
  for (const [, paths] of signerFiles(own)) readSigner(paths, files)
}

function signerFiles(own: OwnSettings): readonly (readonly [SignerName, SignerFiles])[] {
  const names = Object.values(signerNames)
  const common = { certificate: own["cluster-signing-cert-file"], key: own["cluster-signing-key-file"], flag: "cluster-signing" }
  const specific = names.map((name) => [name, specificFiles(own, name)] as const).filter(([, paths]) => isSet(paths))
  if (common.certificate === "" || common.key === "") return specific
  if (specific.length > 0) throw new PilothouseError("USAGE", "cannot specify default and per controller certs at the same time")
  return names.map((name) => [name, common] as const)
}

function specificFiles(own: OwnSettings, name: SignerName): SignerFiles {
  const flag = `cluster-signing-${flagWords[name]}` as const
  return { certificate: own[`${flag}-cert-file`], key: own[`${flag}-key-file`], flag }
}

function isSet({ certificate, key }: SignerFiles): boolean {
  return certificate !== "" || key !== ""
}

function readSigner({ certificate, key, flag }: SignerFiles, files: Files): { readonly certificate: string; readonly key: string } {
  return {
    certificate: certificateOf(files, `--${flag}-cert-file`, certificate),
    key: privateKeyOf(files, `--${flag}-key-file`, key),
  }
}
