import type { Secret, ServiceAccount } from "@pilothouse/api/core/v1"
import type { SignToken } from "../../shared/descriptor.ts"

export const base64 = (text: string): string => Buffer.from(text).toString("base64")
export const text = (base: string | undefined): string => Buffer.from(base ?? "", "base64").toString()

/** Not a signature, but it shows what would be signed. */
export const sign: SignToken = (claims) => JSON.stringify(claims)

export function account(secrets: readonly string[] = [], metadata: Partial<ServiceAccount["metadata"]> = {}): ServiceAccount {
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "robot", namespace: "default", uid: "u-robot", resourceVersion: "1", ...metadata },
    ...(secrets.length > 0 && { secrets: secrets.map((name) => ({ name })) }),
  }
}

/** A token Secret of that account, with this data. */
export function tokenSecret(data: Record<string, string> = {}, { name = "t", uid = "u-robot" as string | undefined } = {}): Secret {
  const annotations = {
    "kubernetes.io/service-account.name": "robot",
    ...(uid !== undefined && { "kubernetes.io/service-account.uid": uid }),
  }
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "default", uid: `u-${name}`, resourceVersion: "2", annotations },
    type: "kubernetes.io/service-account-token",
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
  }
}
