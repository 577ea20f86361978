// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
HTTPIngressPath path. backend!IngressBackend pathType&
HTTPIngressRuleValue paths+HTTPIngressPath
@IPAddress metadata!meta/v1.ObjectMeta spec!IPAddressSpec
@IPAddressList metadata!meta/v1.ListMeta items+IPAddress
IPAddressSpec parentRef?ParentReference
IPBlock cidr! except*
@Ingress metadata!meta/v1.ObjectMeta spec!IngressSpec status!IngressStatus
IngressBackend resource=3?core/v1.TypedLocalObjectReference service?IngressServiceBackend
@IngressClass metadata!meta/v1.ObjectMeta spec!IngressClassSpec
@IngressClassList metadata!meta/v1.ListMeta items+IngressClass
IngressClassParametersReference apiGroup? kind! name! scope& namespace?
IngressClassSpec controller. parameters?IngressClassParametersReference
@IngressList metadata!meta/v1.ListMeta items+Ingress
IngressLoadBalancerIngress ip. hostname. ports=4*IngressPortStatus
IngressLoadBalancerStatus ingress*IngressLoadBalancerIngress
IngressPortStatus port!i protocol! error?
IngressRule host. ingressRuleValue~IngressRuleValue
IngressRuleValue http?HTTPIngressRuleValue
IngressServiceBackend name! port!ServiceBackendPort
IngressSpec defaultBackend?IngressBackend tls*IngressTLS rules*IngressRule ingressClassName?
IngressStatus loadBalancer!IngressLoadBalancerStatus
IngressTLS hosts* secretName.
@NetworkPolicy metadata!meta/v1.ObjectMeta spec!NetworkPolicySpec
NetworkPolicyEgressRule ports*NetworkPolicyPort to*NetworkPolicyPeer
NetworkPolicyIngressRule ports*NetworkPolicyPort from*NetworkPolicyPeer
@NetworkPolicyList metadata!meta/v1.ListMeta items+NetworkPolicy
NetworkPolicyPeer podSelector?meta/v1.LabelSelector namespaceSelector?meta/v1.LabelSelector ipBlock?IPBlock
NetworkPolicyPort protocol? port?x endPort?i
NetworkPolicySpec podSelector!meta/v1.LabelSelector ingress*NetworkPolicyIngressRule egress*NetworkPolicyEgressRule policyTypes*
ParentReference group. resource. namespace. name.
ServiceBackendPort name. number.i
@ServiceCIDR metadata!meta/v1.ObjectMeta spec!ServiceCIDRSpec status!ServiceCIDRStatus
@ServiceCIDRList metadata!meta/v1.ListMeta items+ServiceCIDR
ServiceCIDRSpec cidrs*
ServiceCIDRStatus conditions*meta/v1.Condition
`
