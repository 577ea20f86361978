import type { Node } from "@pilothouse/api/core/v1"
import type { ApiServerOptions } from "@pilothouse/apiserver"
import type { Dial, Files, Transport } from "@pilothouse/seams"
import { PilothouseError } from "@pilothouse/seams"
import type { Command } from "commander"
import { certificateOf, privateKeyOf } from "../certificates/pem-files.ts"
import { commaList, somePath } from "../flags/flag-values.ts"
import { defaultAddressTypes, kubeletDialer } from "./kubelet-dialer.ts"

/** How kubelets are reached, as the command line gives it. */
export interface KubeletFlags {
  readonly kubeletClientCertificate?: string
  readonly kubeletClientKey?: string
  readonly kubeletCertificateAuthority?: string
  readonly kubeletPreferredAddressTypes?: readonly string[]
}

/** Adds the flags of kube-apiserver by which it reaches kubelets. */
export function addKubeletFlags(command: Command): Command {
  return command
    .option(
      "--kubelet-client-certificate <path>",
      "client certificate that kubelets know this server by (PEM)",
      somePath("--kubelet-client-certificate"),
    )
    .option("--kubelet-client-key <path>", "key of that certificate (PEM)", somePath("--kubelet-client-key"))
    .option(
      "--kubelet-certificate-authority <path>",
      "authority of kubelets' certificates (PEM); without it any is accepted",
      somePath("--kubelet-certificate-authority"),
    )
    .option(
      "--kubelet-preferred-address-types <types>",
      `types of node addresses, the preferred first (default: ${defaultAddressTypes.join(",")})`,
      commaList,
    )
}

interface KubeletSeams {
  readonly files: Files
  readonly dial: Dial
  /** Reads from the server itself. */
  readonly transport: () => Transport
}

/** Returns how a server dials, and its way to the kubelet of a node by its name. Throws for files that are missing or wrong. */
export function kubeletsOf(
  flags: KubeletFlags,
  { files, dial, transport }: KubeletSeams,
): Required<Pick<ApiServerOptions, "dial" | "kubelet">> {
  const {
    kubeletClientCertificate,
    kubeletClientKey,
    kubeletCertificateAuthority: authority,
    kubeletPreferredAddressTypes: addressTypes,
  } = flags
  if ((kubeletClientCertificate === undefined) !== (kubeletClientKey === undefined)) {
    const found = kubeletClientKey === undefined ? "--kubelet-client-certificate" : "--kubelet-client-key"
    throw new PilothouseError(
      "USAGE",
      `expected both --kubelet-client-certificate and --kubelet-client-key, found only ${found}; give both`,
    )
  }
  const identity =
    kubeletClientCertificate === undefined || kubeletClientKey === undefined
      ? undefined
      : {
          certificate: certificateOf(files, "--kubelet-client-certificate", kubeletClientCertificate),
          key: privateKeyOf(files, "--kubelet-client-key", kubeletClientKey),
        }
  const dialKubelet = kubeletDialer({
    dial,
    ...(identity !== undefined && { identity: () => identity }),
    ...(authority !== undefined && { authority: certificateOf(files, "--kubelet-certificate-authority", authority) }),
    ...(addressTypes !== undefined && { addressTypes }),
  })
  const kubelet =
    (name: string): Transport =>
    async (request) => {
      const read = await transport()({ verb: "GET", path: `/api/v1/nodes/${encodeURIComponent(name)}`, query: {}, headers: {} })
      // No such node: a Status says so.
      if (read.status !== 200 || read.body.type !== "value") return read
      return dialKubelet(read.body.value as Node)(request)
    }
  return { dial, kubelet }
}
