-- One source x service x SKU whose usage is billed for longer than a day at once (a day of 25 hours is a day).
SELECT DISTINCT source, ServiceName, SkuId
FROM main.charges
WHERE ChargePeriodEnd > ChargePeriodStart + INTERVAL 25 HOUR AND ChargeCategory = 'Usage'
ORDER BY ALL
