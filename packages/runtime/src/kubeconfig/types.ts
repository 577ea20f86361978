/** A process's environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>

/** As the file has it, with its paths made absolute. */
export interface ClusterEntry {
  readonly server?: string
  readonly "certificate-authority"?: string
  readonly "certificate-authority-data"?: string
  readonly "tls-server-name"?: string
  readonly "insecure-skip-tls-verify"?: boolean
  readonly "proxy-url"?: string
  readonly extensions?: readonly { readonly name: string; readonly extension: unknown }[]
}

/** A user of a kubeconfig, with the keys of client-go's file format. */
export interface UserEntry {
  readonly "client-certificate"?: string
  readonly "client-certificate-data"?: string
  readonly "client-key"?: string
  readonly "client-key-data"?: string
  readonly token?: string
  readonly tokenFile?: string
  readonly username?: string
  readonly password?: string
  readonly as?: string
  readonly "as-uid"?: string
  readonly "as-groups"?: readonly string[]
  readonly "as-user-extra"?: Readonly<Record<string, readonly string[]>>
  readonly "auth-provider"?: { readonly name?: string }
  readonly exec?: ExecEntry
}

/** A program that prints credentials. */
export interface ExecEntry {
  readonly apiVersion?: string
  readonly command?: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
  readonly installHint?: string
  readonly interactiveMode?: string
  readonly provideClusterInfo?: boolean
}

/** A context of a kubeconfig: a cluster, a user, and a default namespace. */
export interface ContextEntry {
  readonly cluster?: string
  readonly user?: string
  readonly namespace?: string
}

/** One file, or several merged. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, ClusterEntry>
  readonly users: ReadonlyMap<string, UserEntry>
  readonly contexts: ReadonlyMap<string, ContextEntry>
  readonly currentContext?: string
  /** The files it was read from, for messages. */
  readonly from: readonly string[]
}
