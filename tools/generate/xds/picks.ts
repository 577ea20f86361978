/** The fields of each message that are sent or read, by their names in the .proto files. What is not here is skipped when read: a node's 61 kB of extensions, for one. */
export const picks: Readonly<Record<string, string>> = {
  "envoy.service.discovery.v3.DiscoveryRequest": "version_info node resource_names type_url response_nonce error_detail",
  "envoy.service.discovery.v3.DiscoveryResponse": "version_info resources type_url nonce control_plane",
  "envoy.service.discovery.v3.DeltaDiscoveryRequest":
    "node type_url resource_names_subscribe resource_names_unsubscribe initial_resource_versions response_nonce error_detail",
  "envoy.service.discovery.v3.DeltaDiscoveryResponse": "system_version_info resources type_url removed_resources nonce control_plane",
  "envoy.service.discovery.v3.Resource": "name version resource ttl",
  "google.rpc.Status": "code message",
  "google.protobuf.Any": "type_url value",
  "google.protobuf.Struct": "fields",
  "google.protobuf.Value": "null_value number_value string_value bool_value struct_value list_value",
  "google.protobuf.ListValue": "values",
  "google.protobuf.Duration": "seconds nanos",
  "google.protobuf.UInt32Value": "value",
  "google.protobuf.BoolValue": "value",

  "envoy.config.core.v3.Node": "id cluster metadata locality user_agent_name user_agent_version client_features",
  "envoy.config.core.v3.ControlPlane": "identifier",
  "envoy.config.core.v3.Locality": "region zone sub_zone",
  "envoy.config.core.v3.Metadata": "filter_metadata",
  "envoy.config.core.v3.Address": "socket_address",
  "envoy.config.core.v3.SocketAddress": "address port_value",
  "envoy.config.core.v3.ConfigSource": "ads initial_fetch_timeout resource_api_version",
  "envoy.config.core.v3.AggregatedConfigSource": "",
  "envoy.config.core.v3.Http2ProtocolOptions": "",

  "envoy.config.cluster.v3.Cluster":
    "name type eds_cluster_config connect_timeout lb_policy load_assignment common_lb_config typed_extension_protocol_options respect_dns_ttl dns_lookup_family metadata",
  "envoy.config.cluster.v3.Cluster.EdsClusterConfig": "eds_config service_name",
  "envoy.config.cluster.v3.Cluster.CommonLbConfig": "healthy_panic_threshold",
  "envoy.type.v3.Percent": "value",
  "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": "explicit_http_config",
  "envoy.extensions.upstreams.http.v3.HttpProtocolOptions.ExplicitHttpConfig": "http2_protocol_options",

  "envoy.config.endpoint.v3.ClusterLoadAssignment": "cluster_name endpoints",
  "envoy.config.endpoint.v3.LocalityLbEndpoints": "locality lb_endpoints load_balancing_weight priority",
  "envoy.config.endpoint.v3.LbEndpoint": "endpoint health_status metadata load_balancing_weight",
  "envoy.config.endpoint.v3.Endpoint": "address additional_addresses",
  "envoy.config.endpoint.v3.Endpoint.AdditionalAddress": "address",

  "envoy.config.listener.v3.Listener": "name address filter_chains use_original_dst bind_to_port api_listener traffic_direction",
  "envoy.config.listener.v3.ApiListener": "api_listener",
  "envoy.config.listener.v3.FilterChain": "filters",
  "envoy.config.listener.v3.Filter": "name typed_config",
  "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager": "stat_prefix rds http_filters upgrade_configs",
  "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.UpgradeConfig": "upgrade_type",
  "envoy.extensions.filters.network.http_connection_manager.v3.Rds": "config_source route_config_name",
  "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter": "name typed_config",
  "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy": "stat_prefix cluster",
  "envoy.extensions.filters.http.router.v3.Router": "",

  "envoy.config.route.v3.RouteConfiguration": "name virtual_hosts validate_clusters",
  "envoy.config.route.v3.VirtualHost": "name domains routes",
  "envoy.config.route.v3.Route": "name match route direct_response",
  "envoy.config.route.v3.RouteMatch": "prefix",
  "envoy.config.route.v3.RouteAction": "cluster timeout retry_policy",
  "envoy.config.route.v3.RetryPolicy": "retry_on num_retries",
  "envoy.config.route.v3.DirectResponseAction": "status",
}

/** The enums that those fields have. */
export const enums: readonly string[] = [
  "google.protobuf.NullValue",
  "envoy.config.core.v3.ApiVersion",
  "envoy.config.core.v3.HealthStatus",
  "envoy.config.core.v3.TrafficDirection",
  "envoy.config.cluster.v3.Cluster.DiscoveryType",
  "envoy.config.cluster.v3.Cluster.LbPolicy",
  "envoy.config.cluster.v3.Cluster.DnsLookupFamily",
]

/** The files that define them, from the roots below. */
export const protoFiles: readonly string[] = [
  "envoy/service/discovery/v3/discovery.proto",
  "envoy/config/cluster/v3/cluster.proto",
  "envoy/config/endpoint/v3/endpoint.proto",
  "envoy/config/listener/v3/listener.proto",
  "envoy/config/route/v3/route.proto",
  "envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.proto",
  "envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy.proto",
  "envoy/extensions/filters/http/router/v3/router.proto",
  "envoy/extensions/upstreams/http/v3/http_protocol_options.proto",
]

export const protoRoots: readonly string[] = ["envoy-api", "xds", "googleapis", "protoc-gen-validate"]
