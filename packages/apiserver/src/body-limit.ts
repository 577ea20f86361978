/** kube-apiserver's: what etcd takes, and room for what protobuf makes of it. */
export const bodyLimit = 3 * 1024 * 1024
