import { join } from "node:path"

export function etcdFlags({ client, peer, directory }: { client: number; peer: number; directory: string }): string[] {
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`]
  return [
    "--name=real",
    `--data-dir=${directory}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=real=${peerUrl}`,
    // The data is thrown away after the run.
    "--unsafe-no-fsync",
  ]
}

interface ApiServerOptions {
  readonly port: number
  readonly etcd: number
  readonly directory: string
  /** How it authorizes; by default with RBAC alone. */
  readonly authorization?: string | undefined
}

export function apiServerFlags({ port, etcd, directory, authorization = "--authorization-mode=RBAC" }: ApiServerOptions): string[] {
  const file = (name: string) => join(directory, name)
  return [
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${port}`,
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    // A loopback address is not a valid endpoint.
    "--endpoint-reconciler-type=none",
    authorization,
    `--client-ca-file=${file("ca.crt")}`,
    `--token-auth-file=${file("tokens.csv")}`,
    `--tls-cert-file=${file("apiserver.crt")}`,
    `--tls-private-key-file=${file("apiserver.key")}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${file("sa.pub")}`,
    `--service-account-signing-key-file=${file("sa.key")}`,
    "--service-cluster-ip-range=10.0.0.0/16",
    "--allow-privileged=true",
  ]
}

interface ClientFlags {
  readonly port: number
  readonly kubeconfig: string
}

function clientFlags({ port, kubeconfig }: ClientFlags): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    // Their own limit of 20 requests a second would hide any server.
    "--kube-api-qps=1000",
    "--kube-api-burst=1000",
  ]
}

export function controllerManagerFlags(options: ClientFlags & { readonly directory: string }): string[] {
  const file = (name: string) => join(options.directory, name)
  return [
    ...clientFlags(options),
    `--service-account-private-key-file=${file("sa.key")}`,
    `--root-ca-file=${file("ca.crt")}`,
    `--cluster-signing-cert-file=${file("ca.crt")}`,
    `--cluster-signing-key-file=${file("ca.key")}`,
    "--use-service-account-credentials=true",
  ]
}

export function schedulerFlags(options: ClientFlags): string[] {
  return clientFlags(options)
}
