import { type Namespace, namespaces, type ServiceAccount, serviceAccounts } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"

export interface Observed {
  readonly namespace: Namespace
  /** Those of the wanted accounts that are there. */
  readonly accounts: readonly ServiceAccount[]
}

export function observe(key: string, read: Reader, names: readonly string[]): Observed | undefined {
  const namespace = read.get(namespaces, key)
  if (namespace === undefined) return undefined
  return { namespace, accounts: names.flatMap((name) => read.get(serviceAccounts, `${key}/${name}`) ?? []) }
}
